import { expect, test } from "bun:test";
import fc from "fast-check";
import { editJsonBody, readJsonBody } from "./json-body.ts";

const edited = (text: string, changes: Readonly<Record<string, unknown>>): string => {
	const body = editJsonBody(readJsonBody(new TextEncoder().encode(text)), changes);
	return typeof body === "string" ? body : new TextDecoder().decode(body);
};

test("without changes the body is the client's own bytes", () => {
	const body = readJsonBody(new TextEncoder().encode('{"a":1}'));
	expect(editJsonBody(body, { b: undefined })).toBe(body.bytes);
});

test("a member is set where it stands, and added at the front where it does not", () => {
	expect(edited('{ "a" : 1.0 , "b":2}', { b: 3 })).toBe('{ "a" : 1.0 , "b":3}');
	expect(edited('{ "a" : 1.0 }', { b: "x" })).toBe('{"b":"x", "a" : 1.0 }');
	expect(edited("{}", { b: 1 })).toBe('{"b":1}');
});

test.each([
	["the first", ["a"], '{"b":2,"c":3,"d":4}'],
	["one in the middle", ["b"], '{"a":1,"c":3,"d":4}'],
	["the last", ["d"], '{"a":1,"b":2,"c":3}'],
	["the last two", ["c", "d"], '{"a":1,"b":2}'],
	["two apart", ["a", "d"], '{"b":2,"c":3}'],
	["all", ["a", "b", "c", "d"], "{}"],
])("removing %s leaves JSON", (_name, names, expected) => {
	const changes = Object.fromEntries(names.map((name) => [name, undefined]));
	expect(edited('{"a":1,"b":2,"c":3,"d":4}', changes)).toBe(expected);
});

test("any edit is what the same change of the value would be", () => {
	const key = fc.constantFrom("a", "b", "c", "d", "e");
	fc.assert(
		fc.property(
			fc.dictionary(key, fc.jsonValue()),
			fc.dictionary(key, fc.option(fc.jsonValue(), { nil: undefined })),
			fc.constantFrom(undefined, 1),
			(before, changes, spaces) => {
				const expected = { ...before, ...changes };
				for (const name of Object.keys(changes)) if (changes[name] === undefined) delete expected[name];
				const text = edited(JSON.stringify(before, null, spaces), changes);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
			},
		),
	);
});
