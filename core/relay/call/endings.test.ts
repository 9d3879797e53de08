import { expect, test } from "bun:test";
import type { Denial } from "../../contract/fault.ts";
import type { Ending } from "../../contract/outcome.ts";
import { lost, silent, tooLong } from "../../errors/no-answer.ts";
import { speaksOfUpstream } from "./endings.ts";

const stream = (milliseconds: number) => ({ unread: { milliseconds }, left() {}, shutDown() {} });

test.each<[boolean, Ending, Denial | undefined, number]>([
	[true, "completed", undefined, 0],
	[true, "completed", undefined, 60_000],
	[true, "upstream_failed", lost, 0],
	[true, "timed_out", silent, 0],
	// Its client had not read it for long: that may be why.
	[false, "upstream_failed", lost, 1_000],
	[false, "timed_out", silent, 60_000],
	// It went on for as long as the operator lets it.
	[false, "timed_out", tooLong, 0],
	...(["client_left", "refused", "cut", "shut_down", "failed"] as const).map(
		(ending): [boolean, Ending, Denial | undefined, number] => [false, ending, lost, 0],
	),
])(
	"%p: a stream that ended as %s speaks of its upstream (%o, unread for %d ms)",
	(speaks, ending, denial, unreadMs) => {
		expect(speaksOfUpstream(ending, denial, stream(unreadMs))).toBe(speaks);
	},
);
