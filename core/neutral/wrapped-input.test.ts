import { expect, test } from "bun:test";
import { unwrapInput, wrapInput } from "./wrapped-input.ts";

test("free text comes back from the argument it travelled in", () => {
	expect(wrapInput('a "b"\n')).toBe('{"input":"a \\"b\\"\\n"}');
	expect(unwrapInput('{"input": "a \\"b\\"\\n"}')).toBe('a "b"\n');
});

test.each([
	["", ""],
	["{", ""],
	['{ "inp', ""],
	['{"input": "', ""],
	['{"input": "*** Begin\\nrm -rf /tm', "*** Begin\nrm -rf /tm"],
	['{"input": "whole"', "whole"],
	['{"input": "a\\', "a"],
	['{"input": "a\\u00', "a"],
	['{"input": "a\\\\', "a\\"],
	['{"input": "a\\\\\\', "a\\"],
	['{"input": "a\\\\u00', "a\\u00"],
	['{"input": "a\\u00e9', "aé"],
])("arguments that broke off at %p hold %p", (text, want) => {
	expect(unwrapInput(text)).toBe(want);
});

test.each(["*** Begin", '{"other": "a', "{'input", '{"input": 5', '"a', "[1"])("%p is taken as it is", (text) => {
	expect(unwrapInput(text)).toBe(text);
});
