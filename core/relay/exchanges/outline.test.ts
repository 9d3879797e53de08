import { expect, test } from "bun:test";
import fc from "fast-check";
import { outlineOf } from "./outline.ts";

const outlined = (value: unknown): unknown =>
	JSON.parse(outlineOf(new TextEncoder().encode(JSON.stringify(value))).toString());
const vector = Array.from({ length: 1000 }, (_, at) => (at - 500) / 7);

test("vectors and long texts are left out, and all else stays", () => {
	const usage = { prompt_tokens: 5 };
	const list = (embedding: unknown) => ({
		data: [
			{ index: 0, embedding },
			{ index: 1, embedding },
		],
		model: "m",
		usage,
	});
	expect(outlined(list(vector))).toEqual(list([]));
	expect(outlined(list("A".repeat(9000)))).toEqual(list(""));
	expect(outlined({ embeddings: { float: [vector, vector] }, usage })).toEqual({
		embeddings: { float: [[], []] },
		usage,
	});
});

/** What must come of a value. */
const without = (value: unknown): unknown => {
	if (typeof value === "string") return JSON.stringify(value).length > 4097 ? "" : value;
	if (Array.isArray(value)) return value === vector ? [] : value.map(without);
	if (typeof value === "object" && value !== null)
		return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, without(member)]));
	return value;
};

test("whatever JSON it is, quotes and brackets in texts are only text", () => {
	const text = fc.oneof(
		fc.string({ unit: "grapheme", maxLength: 20 }),
		fc.stringMatching(/^[["\]\\,{}:1-9-]{0,20}$/),
		fc.constant(`[1,${"2,".repeat(400)}3]`),
		fc.constant('\\"['.repeat(2000)),
	);
	const { value } = fc.letrec((tie) => ({
		value: fc.oneof(
			{ maxDepth: 4 },
			text,
			fc.integer(),
			fc.constant(null),
			fc.constant(vector),
			fc.array(tie("value"), { maxLength: 5 }),
			fc.dictionary(
				text.filter((name) => name.length < 100),
				tie("value"),
				{ maxKeys: 5 },
			),
		),
	}));
	fc.assert(
		fc.property(value, (one) => expect(outlined(one)).toEqual(without(one))),
		{ numRuns: 500 },
	);
});

test("what is no JSON, or breaks off, is gone through once", () => {
	for (const text of [
		"[".repeat(1_000_000),
		'"'.repeat(999_999),
		`"${"\\".repeat(1_000_000)}`,
		`${"[1,".repeat(300_000)}]`,
	]) {
		const began = performance.now();
		outlineOf(new TextEncoder().encode(text));
		expect(performance.now() - began).toBeLessThan(1000);
	}
});
