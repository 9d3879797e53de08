import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isFault } from "../contract/fault.ts";
import { changeJsonBody, editJsonBody, type JsonLimits, readJsonBody } from "./json-body.ts";

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
	expect(edited('{ "a" : 1.0 ,\n\t"b": 2 }\n', { a: 2, b: 3 })).toBe('{ "a" : 2 ,\n\t"b": 3 }\n');
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

test("a changed body is what its bytes would be read as", () => {
	const key = fc.constantFrom("a", "b", "c", "__proto__");
	const read = (text: string) => readJsonBody(new TextEncoder().encode(text));
	fc.assert(
		fc.property(
			fc.dictionary(key, fc.jsonValue()),
			fc.dictionary(key, fc.option(fc.json().map(JSON.parse), { nil: undefined })),
			(before, changes) => {
				const changed = changeJsonBody(read(JSON.stringify(before, null, 1)), changes);
				const { bytes, text, value, members } = readJsonBody(changed.bytes);
				expect(changed.bytes).toEqual(bytes);
				expect([changed.text, changed.value, changed.members]).toEqual([text, value, members]);
			},
		),
	);
});

/** A root member as some client might write it: a key, a value, and spaces wherever JSON allows them. */
const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 });
const oddValue = fc.oneof(
	fc.constantFrom(
		"1.0",
		"-0",
		"1e400",
		"9007199254740993",
		"0.1000",
		'"\\u00e9"',
		'"a\\/b"',
		'"}"',
		'"\\\\"',
		"[ 1 ,2]",
		'{"a":1, "b" : {}}',
	),
	fc.json({ maxDepth: 2 }),
);
const written = fc.uniqueArray(
	fc.record({
		name: fc.constantFrom("a", "b", "c", "model", "é", 'q"', "__proto__"),
		gaps: fc.tuple(space, space, space, space),
		value: oddValue,
	}),
	{ selector: ({ name }) => name, maxLength: 6 },
);

const textOf = (members: readonly { name: string; gaps: readonly string[]; value: string }[]): string =>
	`{${members.map(({ name, gaps: [w, x, y, z], value }) => `${w}${JSON.stringify(name)}${x}:${y}${value}${z}`).join(",")}}`;

test("setting members leaves every other byte as it was", () => {
	fc.assert(
		fc.property(written, fc.nat(), fc.jsonValue(), (members, picked, value) => {
			fc.pre(members.length > 0);
			const index = picked % members.length;
			const changed = members.map((member, at) =>
				at === index ? { ...member, value: JSON.stringify(value) } : member,
			);
			expect(edited(textOf(members), Object.fromEntries([[members[index]?.name ?? "", value]]))).toBe(textOf(changed));
		}),
	);
});

test("removing and adding members leaves those that stay as they were written, in their order", () => {
	fc.assert(
		fc.property(
			written,
			fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
			fc.boolean(),
			(members, gone, adds) => {
				const changes = Object.fromEntries(members.flatMap(({ name }, at) => (gone[at] ? [[name, undefined]] : [])));
				const text = edited(textOf(members), adds ? { ...changes, added: 1 } : changes);
				expect(() => JSON.parse(text)).not.toThrow();
				let from = adds ? text.indexOf('"added":1') : 0;
				expect(from).toBeGreaterThanOrEqual(0);
				for (const { name, gaps, value } of members.filter((_, at) => !gone[at])) {
					from = text.indexOf(`${JSON.stringify(name)}${gaps[1]}:${gaps[2]}${value}`, from);
					expect(from).toBeGreaterThan(0);
				}
				const left = members.filter((_, at) => !gone[at]).length + (adds ? 1 : 0);
				expect(Object.keys(JSON.parse(text) as object)).toHaveLength(left);
			},
		),
	);
});

test("a field that stands twice in one object is refused, however deep, and no other body", () => {
	const read = (text: string) => () => readJsonBody(new TextEncoder().encode(text));
	fc.assert(
		fc.property(fc.jsonValue(), fc.string(), fc.boolean(), fc.nat(2), (value, name, first, depth) => {
			const [text, more] = [JSON.stringify(value), JSON.stringify(name)];
			const deep = (inner: string) => `{"a":${"[".repeat(depth)}${inner}${"]".repeat(depth)}}`;
			expect(read(deep(`{${more}:${text}}`))).not.toThrow();
			expect(read(deep(`{${first ? `${more}:1,` : ""}${more}:${text},${more}:0}`))).toThrow("twice");
		}),
	);
	expect(() => readJsonBody(new TextEncoder().encode('{"a":[{"b":1,"b":2}]}'), { ...limitsOfAnswers })).not.toThrow();
});

const limitsOfAnswers = { depth: 64, nodes: 100, repeats: true };

describe("a body that is refused", () => {
	const refusal = (bytes: Uint8Array | string, limits?: JsonLimits) => {
		try {
			readJsonBody(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes, limits);
		} catch (error) {
			if (isFault(error)) return error.denial;
			throw error;
		}
		return undefined;
	};

	test.each([
		["nothing", ""],
		["spaces", "  "],
		["a list", "[]"],
		["text", '"a"'],
		["a number", "1"],
		["an open string", '{"a":"b'],
		["an open object", '{"a":1'],
		["a comment", '{"a":1 // no\n}'],
		["a trailing comma", '{"a":1,}'],
		["single quotes", "{'a':1}"],
		["two objects", '{"a":1}{"b":2}'],
		["a lone comma", "{,}"],
		["a missing colon", '{"a" 1}'],
		["a byte order mark", "\ufeff{}"],
	])("%s", (_, text) => expect(refusal(text)).toMatchObject({ kind: "invalid_request", code: "invalid_json" }));

	test("a byte order mark, which nobody sees, is named", () =>
		expect(refusal("\ufeff{}")?.message).toContain("byte order mark"));

	test("bytes that are no UTF-8", () => {
		for (const bytes of [
			[0x7b, 0xff, 0x7d],
			[0x7b, 0x22, 0xc3, 0x22, 0x7d],
			[0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
		])
			expect(refusal(new Uint8Array(bytes))?.code).toBe("invalid_json");
	});

	test("a root field named twice, however it is spelled", () => {
		expect(refusal('{"model":"a","model":"b"}')).toMatchObject({ parameter: "model" });
		expect(refusal('{"model":"a","mod\\u0065l":"b"}')).toMatchObject({ parameter: "model" });
		expect(refusal('{"a":{"model":1},"b":{"model":2}}')).toBeUndefined();
	});

	test("nesting and size beyond the limits, found before the text is parsed", () => {
		const fields = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",")}}`;
		expect(refusal(fields(1_000))).toBeUndefined();
		expect(refusal(fields(1_001))?.message).toContain("more than 1000 fields");
		expect(refusal(`{"a":${fields(2_000)}}`)).toBeUndefined();
		expect(refusal(`{"a":${"[".repeat(63)}${"]".repeat(63)}}`)).toBeUndefined();
		expect(refusal(`{"a":${"[".repeat(64)}${"]".repeat(64)}}`)?.message).toContain("deeper than 64");
		expect(refusal(`{"a":${"[".repeat(1_000_000)}`)?.message).toContain("deeper than 64");
		expect(refusal(`{"a":[${"1,".repeat(600_000)}1]}`)?.message).toContain("more than 500000 values");
		expect(refusal(`{"a":${fields(49_000)}}`)).toBeUndefined();
		expect(refusal(`{"a":${fields(60_000)}}`)?.message).toContain("more than 50000 different fields");
		expect(refusal(`{"a":[${`${fields(10)},`.repeat(20_000)}1]}`)).toBeUndefined();
		expect(refusal(`{"a":[${`${fields(10_000)},`.repeat(20)}1]}`)?.message).toContain("different fields");
		expect(refusal(`{"a":${fields(60_000)}}`, { depth: 9, nodes: 200_000, repeats: true })).toBeUndefined();
		expect(refusal('{"a":[[1]]}', { depth: 2, nodes: 9 })?.message).toContain("deeper than 2");
		expect(refusal(`{"a":"${"[{,".repeat(600_000)}"}`)).toBeUndefined();
	});

	test("more letters written as escapes than any model reads", () => {
		for (const letter of ["\\n", "\\\\", "\\u4e00"]) {
			expect(refusal(`{"a":"${letter.repeat(2_500_000)}"}`)).toBeUndefined();
			expect(refusal(`{"a":"${letter.repeat(2_500_001)}"}`)?.message).toContain("more than 2500000 characters");
		}
		expect(refusal(`{"a":"${"a".repeat(20_000_000)}"}`)).toBeUndefined();
	});
});
