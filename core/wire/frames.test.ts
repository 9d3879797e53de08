import { describe, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { chunkings } from "../../test/support/chunkings.ts";
import type { StreamEvent } from "../contract/upstream-side.ts";
import { EventFrames } from "./frames.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const read = (chunks: readonly Uint8Array[]): readonly StreamEvent[] => {
	const frames = new EventFrames(1e8);
	return [...chunks.flatMap((chunk) => [...frames.feed(chunk)]), ...frames.end()];
};

const written = ({ name, data }: StreamEvent): string =>
	`${name === undefined ? "" : `event: ${name}\n`}${data
		.split("\n")
		.map((line) => `data: ${line}\n`)
		.join("")}\n`;

const event: fc.Arbitrary<StreamEvent> = fc.record(
	{
		name: fc.constantFrom("delta", "message_stop", "é"),
		data: fc.string({ unit: "grapheme" }).filter((data) => !/\r/.test(data)),
	},
	{ requiredKeys: ["data"] },
);

describe("the events of a stream", () => {
	test.each(chunkings().map(({ name, cut }) => [name, cut] as const))("are the same when it comes %s", (_, cut) => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 6 }), (events) => {
				expect(read(cut(events.map(written).join("")))).toEqual(events);
			}),
			{ numRuns: 60 },
		);
	});

	test("are whole though a character is cut between chunks", () => {
		const all = bytes('data: {"text":"😀é"}\n\n');
		for (let at = 0; at <= all.length; at++)
			expect(read([all.subarray(0, at), all.subarray(at)])).toEqual([{ data: '{"text":"😀é"}' }]);
	});

	test("come out with the chunk that completes them", () => {
		const frames = new EventFrames(1e8);
		expect([...frames.feed(bytes("data: 1\n"))]).toEqual([]);
		expect([...frames.feed(bytes("\ndata: 2\n\ndata: 3"))]).toEqual([{ data: "1" }, { data: "2" }]);
		expect([...frames.feed(bytes("\n\n"))]).toEqual([{ data: "3" }]);
	});

	test("may end in CR, LF or both, and have comments, ids and a byte order mark between them", () => {
		expect(read([bytes("\ufeffdata: 1\r\rdata: 2\r\n\r\n: ping\n\nid: 7\nretry: 10\ndata: 3\n\n:\n\n")])).toEqual([
			{ data: "1" },
			{ data: "2" },
			{ data: "3" },
		]);
	});

	test("are not lost when the last blank line never came", () => {
		expect(read([bytes("event: end\ndata: [DONE]")])).toEqual([{ name: "end", data: "[DONE]" }]);
		expect(read([bytes("data: 1\n")])).toEqual([{ data: "1" }]);
		expect(read([bytes("data: 1\n\nevent: nothing\n")])).toEqual([{ data: "1" }]);
		expect(read([])).toEqual([]);
	});

	test("are none where the stream broke off amid their JSON", () => {
		for (const torn of ['{"choices":[{"del', "[DON", "", "["])
			expect(read([bytes(`data: 1\n\nevent: a\ndata: ${torn}`)])).toEqual([{ data: "1" }]);
		expect(read([bytes('data: {"a":1}')])).toEqual([{ data: '{"a":1}' }]);
	});

	test("keep what is no UTF-8 as replacement characters", () => {
		expect(read([new Uint8Array([...bytes("data: a"), 0xff, 0xc3, ...bytes("b\n\n")])])).toEqual([
			{ data: "a\ufffd\ufffdb" },
		]);
	});

	test("of ten megabytes are held, beyond sixty-four they are the upstream's failure", () => {
		const megabyte = bytes("x".repeat(1024 * 1024));
		const frames = new EventFrames(64 * 1024 * 1024);
		frames.feed(bytes("data: "));
		for (let count = 0; count < 10; count++) frames.feed(megabyte);
		expect(frames.feed(bytes("\n\n"))[0]?.data).toHaveLength(10 * 1024 * 1024);
		frames.feed(bytes("data: "));
		expect(() => {
			for (let count = 0; count < 70; count++) frames.feed(megabyte);
		}).toThrow("too large");
	});
});

test("the short way of plain events gives what the library gives, whatever stands between them", () => {
	const piece = fc.constantFrom(
		"data: {}\n\n",
		"event: a\ndata: 1\n\n",
		"data: 1\ndata: 2\n\n",
		"event: \ndata: \n\n",
		"event:b\ndata:3\n\n",
		"data:  spaced\n\n",
		"event: alone\n\n",
		": comment\n",
		"id: 1\n",
		"retry: 5\n",
		"data",
		"data: ",
		"event: ",
		"x",
		"\n",
		"\r",
		"\r\n",
	);
	fc.assert(
		fc.property(fc.array(fc.array(piece, { maxLength: 5 }), { maxLength: 6 }), (chunks) => {
			const expected: StreamEvent[] = [];
			const parser = createParser({
				onEvent: ({ event: name, data }) => expected.push(name === undefined ? { data } : { name, data }),
			});
			const texts = chunks.map((pieces) => pieces.join(""));
			for (const text of texts) parser.feed(text);
			const ended = expected.length;
			parser.feed("\n\n");
			// What comes with the end and says nothing was torn by it, or may have been.
			const atEnd = expected.splice(ended).filter(({ data }) => data.trim() !== "");
			expect(read(texts.map(bytes))).toEqual([...expected, ...atEnd]);
		}),
		{ numRuns: 3000 },
	);
});
