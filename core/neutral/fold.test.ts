import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyResponse } from "../../test/support/neutral-arbitraries.ts";
import { explode } from "./explode.ts";
import { Folder, fold, readArguments } from "./fold.ts";
import type { NeutralEvent } from "./response.ts";

const start: NeutralEvent = { type: "start", id: "r1", model: "m", createdAt: 7 };
const end: NeutralEvent = { type: "end", clean: true };
const stop: NeutralEvent = { type: "finish", candidate: 0, finish: { reason: "stop" } };

describe("fold and explode", () => {
	test("the fold of an exploded response is the response", () => {
		fc.assert(fc.property(anyResponse, (response) => expect(fold(explode(response))).toEqual(response)));
	});
	test("the deltas alone tell every block that a model makes piece by piece", () => {
		const withoutFinals = (events: readonly NeutralEvent[]) =>
			events.map((event): NeutralEvent => (event.type === "close" ? { type: "close", block: event.block } : event));
		fc.assert(fc.property(anyResponse, (response) => expect(fold(withoutFinals(explode(response)))).toEqual(response)));
	});
	test("text, citations, logprobs, signature and extras grow from what the shell holds", () => {
		const response = fold([
			start,
			{ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "He", extras: { messages: { a: 1 } } } },
			{ type: "delta", block: 0, delta: { type: "text", text: "llo" } },
			{ type: "delta", block: 0, delta: { type: "citation", citation: { kind: "url", url: "u" } } },
			{ type: "delta", block: 0, delta: { type: "logprobs", items: [{ token: "Hello", logprob: -1, top: [] }] } },
			{ type: "delta", block: 0, delta: { type: "extras", extras: { messages: { b: 2 } } } },
			{ type: "close", block: 0 },
			stop,
			end,
		]);
		expect(response.candidates).toEqual([
			{
				index: 0,
				finish: { reason: "stop" },
				blocks: [
					{
						type: "text",
						text: "Hello",
						citations: [{ kind: "url", url: "u" }],
						logprobs: [{ token: "Hello", logprob: -1, top: [] }],
						extras: { messages: { a: 1, b: 2 } },
					},
				],
			},
		]);
	});
	test("a part of a summary takes no more room for being numbered high, and sound may come in pieces padded each", () => {
		const { candidates } = fold([
			start,
			{ type: "open", block: 0, candidate: 0, shell: { type: "thinking", text: "", form: "summary" } },
			{ type: "delta", block: 0, delta: { type: "thinking", text: "b", part: 4_000_000_000 } },
			{ type: "delta", block: 0, delta: { type: "thinking", text: "a", part: 1 } },
			{
				type: "open",
				block: 1,
				candidate: 0,
				shell: { type: "audio", media: { by: "bytes", mime: "a/b", base64: "" } },
			},
			...["QQ==", "Q", "kM", "="].map(
				(base64): NeutralEvent => ({ type: "delta", block: 1, delta: { type: "media", base64 } }),
			),
			stop,
			end,
		]);
		expect(candidates[0]?.blocks).toMatchObject([
			{ parts: ["a", "b"], text: "a\n\nb" },
			{ media: { base64: Buffer.from("ABC").toString("base64") } },
		]);
	});
	test("interleaved blocks keep their own growth and the order in which they opened", () => {
		const { candidates } = fold([
			start,
			{ type: "open", block: 0, candidate: 0, shell: { type: "thinking", text: "", form: "summary" } },
			{ type: "open", block: 1, candidate: 0, shell: { type: "refusal", text: "" } },
			{ type: "delta", block: 0, delta: { type: "thinking", text: "a", part: 0 } },
			{ type: "delta", block: 1, delta: { type: "refusal", text: "no" } },
			{ type: "delta", block: 0, delta: { type: "thinking", text: "b", part: 1 } },
			end,
		]);
		expect(candidates[0]?.blocks).toEqual([
			{ type: "thinking", form: "summary", text: "a\n\nb", parts: ["a", "b"] },
			{ type: "refusal", text: "no" },
		]);
	});
	test("sound joins pieces that were each encoded by themselves", () => {
		const shell = { type: "audio", media: { by: "bytes", base64: "", mime: "audio/pcm" } } as const;
		const { candidates } = fold([
			start,
			{ type: "open", block: 0, candidate: 0, shell },
			{ type: "delta", block: 0, delta: { type: "media", base64: "aGU=" } },
			{ type: "delta", block: 0, delta: { type: "media", base64: "bGxv" } },
			{ type: "delta", block: 0, delta: { type: "transcript", text: "hello" } },
			stop,
			end,
		]);
		expect(candidates[0]?.blocks).toEqual([
			{ type: "audio", media: { by: "bytes", base64: "aGVsbG8=", mime: "audio/pcm" }, transcript: "hello" },
		]);
	});
	test("a stream that broke off tells what had come and that it failed", () => {
		const folder = new Folder();
		folder.push(start);
		folder.push({ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } });
		folder.push({ type: "delta", block: 0, delta: { type: "text", text: "half" } });
		folder.push({ type: "error", error: { kind: "upstream", message: "gone" } });
		expect(folder.response()).toEqual({
			id: "r1",
			model: "m",
			createdAt: 7,
			candidates: [{ index: 0, blocks: [{ type: "text", text: "half" }], finish: { reason: "error" } }],
			error: { kind: "upstream", message: "gone" },
		});
	});
	test("the last usage wins", () => {
		const usage = (total: number) => ({ input: { total }, output: { total: 1 } });
		const response = fold([
			{ ...start, usage: usage(1) },
			{ type: "usage", usage: usage(2) },
			stop,
			{ type: "usage", usage: usage(3), tier: "priority" },
			end,
		]);
		expect([response.usage, response.tier]).toEqual([usage(3), "priority"]);
	});
	test("H22: no argument text is a call without arguments", () => {
		expect(readArguments("", "function")).toEqual({ form: "json", value: {}, text: "{}" });
		expect(readArguments('{"a":', "function")).toEqual({ form: "invalid", text: '{"a":' });
		expect(readArguments("ls -l", "custom")).toEqual({ form: "text", text: "ls -l" });
	});
});
