/** Times that a link brings along, in words that fit a small field. */
import { expect, test } from "bun:test";
import { toMinute } from "../data/format.ts";
import { givenTimes } from "./spans.ts";

const from = "2020-01-31T15:00:00.000Z";
const said = toMinute(Date.parse(from));

test.each([
	["", undefined],
	["span=hour", undefined],
	[`span=hour&from=${from}`, undefined],
	[`from=${from}`, `Since ${said}`],
	[`to=${from}`, `Until ${said}`],
	[`from=${from}&to=2020-01-31T16:00:00.000Z`, `${said}, 1 h`],
	[`from=${from}&to=2020-02-01T15:00:00.000Z`, `${said}, 24 h`],
	["from=yesterday", "Since yesterday"],
])("%s", (query, words) => expect(givenTimes(new URLSearchParams(query))).toBe(words));
