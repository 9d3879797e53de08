import { expect, test } from "bun:test";
import { Fault } from "../contract/fault.ts";
import { parseWords } from "./command-words.ts";

const options = { limit: { type: "string" }, json: { type: "boolean" } } as const;
const parse = (...args: string[]) => parseWords({ args, options, allowPositionals: true }, "portico look [--limit N]");

test("options and words are told apart", () => {
	const { values, positionals } = parse("here", "--limit", "3", "--json");
	expect(values).toEqual({ limit: "3", json: true });
	expect(positionals).toEqual(["here"]);
});

test.each([
	[["--limt", "3"], 'there is no option "--limt" here (did you mean "--limit"?)\n\nportico look [--limit N]'],
	[["--jsno"], 'there is no option "--jsno" here (did you mean "--json"?)\n\nportico look [--limit N]'],
	[["--colour=red"], 'there is no option "--colour" here\n\nportico look [--limit N]'],
	[["--limit"], "--limit needs a value\n\nportico look [--limit N]"],
	[
		["--limit", "-3"],
		"--limit needs a value; one that begins with a dash is written --limit=-…\n\nportico look [--limit N]",
	],
	[["--json=3"], "--json takes no value\n\nportico look [--limit N]"],
])("%p is refused in one sentence", (words, said) => {
	try {
		parse(...words);
	} catch (error) {
		expect(error).toBeInstanceOf(Fault);
		expect((error as Fault).message).toBe(said);
		return;
	}
	expect.unreachable();
});

test("a word too many is refused as one", () => {
	const usage = "portico look [--limit N]";
	expect(() => parseWords({ args: ["here"], options }, usage)).toThrow(`it takes no "here"\n\n${usage}`);
});

test("what was wrong is not lost above what every option means", () => {
	const usage = "portico look [--limit N]\nportico look there\n\n  --limit N  so many\n\nIt looks.";
	const brief = "portico look [--limit N]\nportico look there\n\nportico look --help explains it.";
	expect(() => parseWords({ args: ["here"], options }, usage)).toThrow(`it takes no "here"\n\n${brief}`);
	expect(() => parseWords({ args: ["--limt", "3"], options }, usage)).toThrow(brief);
});
