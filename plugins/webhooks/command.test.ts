import { expect, test } from "bun:test";
import { askedBy } from "../../test/support/asked-by.ts";
import { deliveriesCommand } from "./command.ts";

const asked = (words: string) => askedBy(deliveriesCommand, words);

test.each<[string, readonly unknown[]]>([
	["--status dead --task t1 --limit 5", ["GET", "/admin/deliveries?status=dead&task=t1&limit=5"]],
	["msg_1", ["GET", "/admin/deliveries/msg_1"]],
	["show msg_1", ["GET", "/admin/deliveries/msg_1"]],
	["redeliver msg_1", ["POST", "/admin/deliveries/msg_1/redeliver"]],
	["redeliver", ["POST", "/admin/deliveries/redeliver", {}]],
	[
		"redeliver --token a --from 2027-01-31",
		["POST", "/admin/deliveries/redeliver", { token: "a", from: "2027-01-31" }],
	],
	["test --url https://a.example", ["POST", "/admin/webhooks/test", { url: "https://a.example" }]],
])("portico deliveries %s", async (words, ask) => expect(await asked(words)).toEqual([ask]));

test("portico deliveries test says what it lacks in its own words", () =>
	expect(asked("test --token a")).rejects.toThrow("portico deliveries test needs --url URL."));

test("a mistyped action is answered with the nearest", async () =>
	expect(asked("redelivr msg_1")).rejects.toThrow(
		'portico deliveries takes no "redelivr" (did you mean "redeliver"?)\n\nportico deliveries [--status',
	));

test("a task's id is told the option it belongs to", () =>
	expect(asked("task_1")).rejects.toThrow('portico deliveries takes no "task_1": --task task_1'));

test.each([
	["redeliver --task t1", "--task"],
	["redeliver --limit 1", "--limit"],
	["redeliver --status dead", "--status"],
	["redeliver msg_1 --from 2027-01-31", "--from"],
	["msg_1 --token a", "--token"],
	["show msg_1 --token a", "--token"],
	["--from 2027-01-31", "--from"],
	["--url https://a.example", "--url"],
])("portico deliveries %s asks nothing, for it would do more than was said", async (words, option) =>
	expect(asked(words)).rejects.toThrow(`takes no ${option}.`),
);
