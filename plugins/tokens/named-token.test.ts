/** Lists are asked for by a key in hand as `portico token show` is: the key itself is sent nowhere. */
import { expect, test } from "bun:test";
import type { Command } from "#core";
import { callsCommand } from "../ledger/calls-command.ts";
import { explainCommand } from "../ledger/explain-command.ts";
import { usageCommand } from "../ledger/usage-command.ts";
import { tasksCommand } from "../tasks/command.ts";
import { deliveriesCommand } from "../webhooks/command.ts";
import { makeKey, previewOf } from "./key.ts";

const key = makeKey();

const run = async (command: Command, words: readonly string[]): Promise<string> => {
	const asked: unknown[] = [];
	await command.run({
		words,
		call: async (method, path, body) => {
			asked.push([method, path, body]);
			return { data: [{ id: "tok_9", name: "leaked", preview: previewOf(key) }], count: 0, targets: [] };
		},
		print: () => undefined,
	});
	return JSON.stringify(asked);
};

test.each<[string, Command, readonly string[]]>([
	["calls", callsCommand, []],
	["usage", usageCommand, []],
	["tasks", tasksCommand, []],
	["deliveries", deliveriesCommand, []],
	["deliveries redeliver", deliveriesCommand, ["redeliver"]],
	["explain", explainCommand, ["--model", "fast"]],
])("portico %s --token KEY asks for the token that has the key", async (_name, command, words) => {
	const asked = await run(command, [...words, "--token", key]);
	expect(asked).toContain("tok_9");
	expect(asked).not.toContain(key);
	await expect(run(command, [...words, "--token", makeKey()])).rejects.toThrow("no token has the key sk-");
	expect(await run(command, [...words, "--token", "leaked"])).toContain("leaked");
});
