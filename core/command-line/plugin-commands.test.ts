import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { type Command, commands } from "../contract/command.ts";
import { definePlugin } from "../contract/define.ts";
import { deny, Fault } from "../contract/fault.ts";
import { add } from "../contract/token.ts";
import { buildGeneration } from "../host/generation.ts";
import { createLog } from "../runtime/log.ts";
import { pluginCommands } from "./plugin-commands.ts";

/** The command of a plugin that throws this, as the command line has it. */
const throwing = async (thrown: unknown, withStack = false): Promise<Command> => {
	const fail = (): never => {
		throw thrown;
	};
	const command: Command = { name: "sums", summary: "Sums.", usage: fail, run: async () => fail() };
	const plugin = definePlugin({
		name: "sums",
		summary: "Sums.",
		config: t.Object({}),
		gives: [commands],
		setup: () => ({ offers: [add(commands, command)] }),
	});
	const instance = { name: "daily-sums", use: "./sums", plugin, config: {}, sound: true };
	const { generation } = await buildGeneration([instance], ["daily-sums"], new Map(), createLog("silent"));
	const [wrapped] = pluginCommands(generation, withStack);
	return wrapped ?? expect.unreachable();
};

const run = async (thrown: unknown, withStack = false): Promise<unknown> => {
	const command = await throwing(thrown, withStack);
	const asked = { words: [], call: async () => undefined, print: () => undefined };
	return await command.run(asked).then(
		() => expect.unreachable(),
		(error: unknown) => error,
	);
};

test("what a plugin's command throws is one line that names the plugin", async () => {
	const failed = await run(new RangeError("too far"));
	expect(failed).toBeInstanceOf(Fault);
	expect(String(failed)).toStartWith('Fault: portico sums failed in the plugin "daily-sums": RangeError: too far');
	expect(String(failed)).not.toContain("\n");
	expect(String(await run("a text"))).toBe('Fault: portico sums failed in the plugin "daily-sums": a text');
});

test("the calls that led to it are told where the log is to tell all", async () => {
	expect(String(await run(new RangeError("too far"), true))).toMatch(/too far.*\nRangeError: too far\n +at /);
});

test("so is a usage that throws, and a refusal stays as it is", async () => {
	const command = await throwing(new Error("no words"));
	expect(() => command.usage()).toThrow('portico sums --help failed in the plugin "daily-sums": Error: no words');
	const refusal = new Fault(deny("invalid_request", "sums takes a day"));
	expect(await run(refusal)).toBe(refusal);
});
