/** What a line of the log looks like to people and to machines. */
import { expect, test } from "bun:test";
import { jsonLines, textLines } from "./log-lines.ts";

const call = { request_id: "req_1", status: 200, token_name: "first token", user_agent: undefined };

test("a line of text is short: a time, a level, who speaks, what, and its fields without ids", () => {
	const line = textLines(false, 160)("call-log")("info", "call", call);
	expect(line).toMatch(/^\d\d:\d\d:\d\d info {2}call-log: call {2}status=200 token_name="first token"\n$/);
	expect(textLines(false, 160)("")("warn", "check the config", {})).toMatch(/^\S+ warn {2}check the config\n$/);
});

test("a line fits a terminal, with colours and without", () => {
	const fields = { one: "1".repeat(40), two: "2".repeat(40), three: "3".repeat(40) };
	const line = textLines(false, 60)("tokens")("error", "it failed", fields);
	expect(line.trimEnd().length).toBe(60);
	expect(line).toEndWith("…\n");
	const painted = textLines(true, 60)("tokens")("error", "it failed", fields);
	expect(painted).toContain("\u001b[31merror\u001b[0m");
	// biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
	expect(painted.replace(/\u001b\[\d+m/g, "")).toBe(line);
});

test("a value cannot command a terminal or begin another line", () => {
	const line = textLines(false, 200)("")("info", "call", { name: "a\u001b[2J\nb\u009b\u202e" });
	expect(line).toEndWith('call  name="a\\u001b[2J\\nb\ufffd\ufffd"\n');
});

test("a line of JSON has every field, ids too", () => {
	const line = JSON.parse(jsonLines("call-log")("info", "call", call));
	expect(line).toMatchObject({ level: "info", plugin: "call-log", request_id: "req_1", status: 200, msg: "call" });
	expect(Date.parse(line.time)).toBeGreaterThan(1.7e12);
	expect(JSON.parse(jsonLines("")("warn", "w", {}))).toEqual({ level: "warn", time: expect.any(String), msg: "w" });
});

test("a line of one of several processes says which speaks", () => {
	const line = JSON.parse(jsonLines("tokens", 2)("warn", "w", { keys: 1 }));
	expect(line).toEqual({ level: "warn", time: line.time, worker: 2, plugin: "tokens", keys: 1, msg: "w" });
	expect(JSON.parse(jsonLines("", 2)("warn", "w", {}))).toEqual({ ...line, plugin: undefined, keys: undefined });
	expect(textLines(false, 160)("tokens", 2)("warn", "w", {})).toEndWith("warn  worker 2 tokens: w\n");
	expect(textLines(false, 160)("", 2)("warn", "w", {})).toEndWith("warn  worker 2: w\n");
});
