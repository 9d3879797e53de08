import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isJsonLines, JsonLineFrames, WholeLines } from "./json-lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (pieces: readonly (Uint8Array | string | undefined)[]): string =>
	pieces
		.map((piece) => (typeof piece === "string" ? piece : new TextDecoder().decode(piece ?? new Uint8Array())))
		.join("");

/** The text in pieces that end anywhere, amid a character too. */
const pieces = (text: string, ends: readonly number[]): readonly Uint8Array[] => {
	const all = bytes(text);
	const at = [...new Set(ends.map((end) => end % (all.length + 1)))].sort((one, other) => one - other);
	return [0, ...at].map((from, index) => all.subarray(from, at[index] ?? all.length));
};

const values = fc.array(fc.record({ said: fc.string({ unit: "grapheme" }), more: fc.jsonValue() }), { maxLength: 8 });
const ends = fc.array(fc.nat(400), { maxLength: 12 });

describe("lines of JSON", () => {
	test("are the same events and the same bytes, wherever their chunks end", () => {
		fc.assert(
			fc.property(values, ends, fc.constantFrom("\n", "\r\n", "\n\n"), (told, at, feed) => {
				const lines = told.map((value) => JSON.stringify(value));
				const text = lines.map((line) => line + feed).join("");
				const [frames, whole] = [new JsonLineFrames(10_000), new WholeLines()];
				const chunks = pieces(text, at);
				const events = [...chunks.flatMap((chunk) => [...frames.feed(chunk)]), ...frames.end()];
				expect(events).toEqual(lines.map((data) => ({ data })));
				const passed = chunks.map((chunk) => whole.take(chunk));
				for (const piece of passed) if (piece) expect(textOf([piece])).toEndWith("\n");
				expect(textOf([...passed, whole.rest()])).toBe(text);
			}),
		);
	});

	test("a last line without its end counts when it is whole, and not when it is torn", () => {
		const rest = (text: string) => {
			const [frames, whole] = [new JsonLineFrames(100), new WholeLines()];
			const events = [...frames.feed(bytes(text)), ...frames.end()];
			return [events.length, textOf([whole.take(bytes(text)), whole.rest()])];
		};
		expect(rest('{"a":1}\n{"b":2}')).toEqual([2, '{"a":1}\n{"b":2}']);
		expect(rest('{"a":1}\n{"b":')).toEqual([1, '{"a":1}\n']);
	});

	test("a line that does not end is refused, not held for ever", () => {
		const frames = new JsonLineFrames(10);
		expect(() => frames.feed(bytes(`{"a":"${"x".repeat(20)}`))).toThrow("too large to be held");
	});

	test("are told by their media type", () => {
		for (const type of ["application/x-ndjson", "application/jsonl; charset=utf-8", "application/x-json-lines"])
			expect(isJsonLines(type)).toBe(true);
		for (const type of ["application/json", "text/event-stream", ""]) expect(isJsonLines(type)).toBe(false);
	});
});
