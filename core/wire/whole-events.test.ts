import { describe, expect, test } from "bun:test";
import { WholeEvents } from "./whole-events.ts";

const utf8 = new TextEncoder();
const stream = "data: één\n\n: ping\n\nevent: a\r\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\ndata: 5\n\n";
const ends = /(?:\n\n|\r\n\r\n|\r\r)$/;

/** What goes out of the chunks, chunk by chunk, and what is left. */
const handOn = (chunks: readonly Uint8Array[]) => {
	const whole = new WholeEvents();
	const out = chunks.flatMap((chunk) => {
		const piece = whole.take(chunk);
		return piece ? [new TextDecoder().decode(piece)] : [];
	});
	return { out, rest: whole.rest() };
};

describe("bytes of a stream go out event by event", () => {
	test.each([1, 2, 3, 5, 7, 1000])("in chunks of %i bytes, none lost and none changed", (size) => {
		const bytes = utf8.encode(stream);
		const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
			bytes.subarray(at * size, (at + 1) * size),
		);
		const { out, rest } = handOn(chunks);
		expect(out.join("")).toBe(stream);
		for (const piece of out) expect(piece).toMatch(ends);
		expect(rest).toBe("");
	});

	test("what has begun of an event waits, and is there when the stream ends well", () => {
		const { out, rest } = handOn([utf8.encode("data: 1\n\ndata: {"), utf8.encode('"a":1}\n')]);
		expect(out).toEqual(["data: 1\n\n"]);
		expect(rest).toBe('data: {"a":1}\n');
	});

	test("what the end of the stream tore is not handed on", () => {
		expect(handOn([utf8.encode('data: 1\n\nevent: a\ndata: {"a":')]).rest).toBe("");
		expect(handOn([utf8.encode("data: 1\n\ndata: [DON")]).rest).toBe("");
		expect(handOn([utf8.encode("data: 1\n\ndata: [DONE]")]).rest).toBe("data: [DONE]");
		expect(handOn([utf8.encode("data: 1\n\n: pin")]).rest).toBe(": pin");
	});

	test("a chunk that ends an event goes out as it is, without a copy", () => {
		const chunk = utf8.encode("data: 1\n\n");
		expect(new WholeEvents().take(chunk)).toBe(chunk);
	});
});
