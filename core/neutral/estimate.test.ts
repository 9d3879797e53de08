import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block } from "./content.ts";
import { estimateTextTokens, estimateTokens } from "./estimate.ts";
import type { NeutralRequest } from "./request.ts";

const request = (blocks: readonly Block[], more: Partial<NeutralRequest> = {}): NeutralRequest => ({
	protocol: "messages",
	model: "m",
	stream: false,
	messages: [{ role: "user", blocks }],
	sampling: {},
	raw: {},
	...more,
});

describe("estimateTokens", () => {
	test("text counts by its alphabet", () => {
		expect(estimateTextTokens("")).toBe(0);
		expect(estimateTextTokens("abcdefgh")).toBe(2);
		expect(estimateTextTokens("привет")).toBe(3);
		expect(estimateTextTokens("你好")).toBe(2);
	});
	test("more text is never fewer tokens, and never more than the bound for its bytes", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
				const one = estimateTokens(request([{ type: "text", text: a }]));
				const both = estimateTokens(request([{ type: "text", text: a + b }]));
				expect(both).toBeGreaterThanOrEqual(one);
				expect(both).toBeLessThanOrEqual(Buffer.byteLength(a + b) + 1_024);
			}),
		);
	});
	test("tools, schemas, media and results count", () => {
		const plain = estimateTokens(request([]));
		const image: Block = { type: "image", media: { by: "url", url: "https://example.com/a.png" } };
		expect(estimateTokens(request([image])) - plain).toBe(800);
		const result: Block = { type: "tool_result", callId: "c", content: [{ type: "text", text: "x".repeat(400) }] };
		expect(estimateTokens(request([result])) - plain).toBeGreaterThanOrEqual(100);
		const tools = [{ type: "function", name: "f", schema: { type: "object" } }] as const;
		expect(estimateTokens(request([], { tools }))).toBeGreaterThan(plain);
	});
});
