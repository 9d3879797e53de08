/** What a client is given, it sends back: each value must reach its maker again, and nobody else. */
import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { type Block, normalizeEvents, normalizeRequest, normalizeResponse, type Opaque } from "#core";
import { readAnswer, readStream } from "../../../test/matrix/clients.ts";
import { asEvents } from "../../../test/matrix/translate.ts";
import { messagesFaults } from "../../../test/support/grammar/messages.ts";
import { anyBlock, anyEvent, anyResponse } from "../../../test/support/neutral-arbitraries.ts";
import { answered, asked, encode, type Json, neutral, told, written } from "../fixtures/exchange.ts";
import { messages } from "../protocol.ts";

const opaque = (value: string, protocol: string, family: string): Opaque => ({ value, origin: { protocol, family } });

/** The answer's blocks after the client sent them back as history. */
const replayed = (content: unknown): readonly Block[] =>
	asked({
		messages: [
			{ role: "user", content: "Go" },
			{ role: "assistant", content },
			{ role: "user", content: "On" },
		],
	}).messages[1]?.blocks ?? [];

const wholeContent = (blocks: readonly Block[]) =>
	(messages.client.encodeResponse(answered(blocks), asked()).body as Json)["content"];

/** The blocks as the official SDK gathers them from the stream. */
const streamedContent = async (blocks: readonly Block[]): Promise<unknown> => {
	const headers = { "content-type": "text/event-stream" };
	const client = new Anthropic({ apiKey: "k", fetch: async () => new Response(written(told(blocks)), { headers }) });
	return (await client.messages.stream({ model: "m", max_tokens: 1, messages: [] }).finalMessage()).content;
};

const call = (signature?: Opaque): Block => ({
	type: "tool_call",
	id: "c1",
	name: "f",
	kind: "function",
	arguments: { form: "json", value: { a: 1 }, text: '{"a":1}' },
	...(signature && { signature }),
});
const gemini = opaque("SIG", "generate-content", "gemini");
const histories: Readonly<Record<string, readonly Block[]>> = {
	"thinking of Claude": [
		{ type: "thinking", text: "hm", form: "full", signature: opaque("S", "messages", "claude") },
		{ type: "text", text: "x" },
	],
	"thinking without a signature": [
		{ type: "thinking", text: "hm", form: "full" },
		{ type: "text", text: "x" },
	],
	"summaries of another maker": [
		{ type: "thinking", text: "a\n\nb", form: "full", signature: opaque("rs_1;1,1;ENC", "responses", "gpt") },
		{ type: "text", text: "x" },
	],
	"opaque thinking of another maker": [
		{ type: "opaque_thinking", data: opaque("ENC", "responses", "gpt") },
		{ type: "text", text: "x" },
	],
	"a dialect's entry": [
		{
			type: "thinking",
			text: "hm",
			form: "full",
			signature: opaque('{"id":"a|b","x":">"}', "chat-completions", "kimi"),
		},
		{ type: "text", text: "x" },
	],
	"a signed call": [call(gemini)],
	"a signed call and one without": [call(gemini), { ...call(), id: "c2" } as Block],
	"a signed text before a call": [{ type: "text", text: "x", signature: gemini }, call()],
	"a signed text without a letter": [call(gemini), { type: "text", text: "", signature: gemini }],
	"a text and its search": [
		{
			type: "text",
			text: "x",
			citations: [{ kind: "url", url: "https://a.test", title: "A", quote: "", target: { start: 0, end: 1 } }],
		},
	],
};

describe.each(Object.keys(histories))("%s", (name) => {
	const blocks = histories[name] ?? [];
	test("comes back as it was, whole and streamed", async () => {
		expect(replayed(wholeContent(blocks))).toEqual(blocks);
		expect(replayed(await streamedContent(blocks))).toEqual(blocks);
	});
});

/**
 * Claude Code streams, and gives its user the last block of an answer where that is a text, an empty result where it is not.
 * Gemini signs the last text of an answer at its very end, and takes it back without. A whole answer tells the signature behind
 * the text: it is asked for by clients that read `content[0].text`.
 */
test.each<[string, readonly Block[]]>([
	["its signature", [{ type: "text", text: "x", signature: gemini }]],
	[
		"a text without a letter",
		[
			{ type: "text", text: "x", signature: gemini },
			{ type: "text", text: "", signature: gemini },
		],
	],
])("a text that ends a stream stays the last block, without %s", async (_, blocks) => {
	const thought: Block = { type: "thinking", text: "hm", form: "full", signature: gemini };
	const both = [{ type: "thinking" }, { type: "text", text: "x" }];
	expect(await streamedContent([thought, ...blocks])).toMatchObject(both);
	expect(wholeContent([thought, ...blocks])).toMatchObject([...both, ...blocks.map(() => ({ type: "thinking" }))]);
});

test("a signature goes to its own family and to no other", () => {
	const request = {
		...asked(),
		messages: [{ role: "assistant" as const, blocks: histories["thinking of Claude"] ?? [] }],
	};
	expect(JSON.stringify(encode(request, {}, "claude-x").sent)).toContain('"signature":"S"');
	expect(JSON.stringify(encode(request, {}, "deepseek-x").sent)).not.toContain("signature");
});

test("a search of another protocol is left out of what Claude is told", () => {
	const blocks: Block[] = [
		{
			type: "server_call",
			id: "ws_1",
			tool: "web_search",
			name: "web_search",
			arguments: { query: "q" },
			raw: { origin: { protocol: "responses", family: "gpt" }, value: {} },
		},
		{ type: "server_result", callId: "ws_1", tool: "web_search", result: [{ url: "https://a.test", title: "A" }] },
		{ type: "text", text: "Found" },
	];
	const back = replayed(wholeContent(blocks));
	expect(back.map(({ type }) => type)).toEqual(["server_call", "server_result", "text"]);
	expect(back.every((block) => !("raw" in block) || block.raw === undefined)).toBe(true);
	const { sent } = encode(
		neutral({
			messages: [
				{ role: "user", blocks: [{ type: "text", text: "Go" }] },
				{ role: "assistant", blocks: back },
				{ role: "user", blocks: [{ type: "text", text: "On" }] },
			],
		}),
	);
	expect((sent["messages"] as readonly Json[])[1]?.["content"]).toEqual([{ type: "text", text: "Found" }]);
});

describe("any answer", () => {
	test("becomes a stream of this protocol's grammar", () => {
		fc.assert(
			fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.boolean(), (events, clean) => {
				const stage = normalizeEvents({ id: "r", model: "m", createdAt: 1 });
				const good = [...events, { type: "end" as const, clean }].flatMap((event) => stage.push(event));
				const text = written(good);
				const faults = messagesFaults(text).filter(
					(fault) => !/torn arguments|arguments are not an object/.test(fault),
				);
				expect(faults).toEqual([]);
			}),
		);
	});

	test("is understood alike whole and streamed", async () => {
		await fc.assert(
			fc.asyncProperty(anyResponse, async (response) => {
				const good = normalizeResponse(response, { id: "r", model: "m", createdAt: 1 });
				if (good.error || good.candidates.some(({ finish }) => finish.reason === "error")) return;
				const [only] = good.candidates;
				const first = { ...good, candidates: only ? [only] : [] };
				const whole = await readAnswer("messages", messages.client.encodeResponse(first, asked()).body);
				expect(await readStream("messages", written(asEvents(first)))).toEqual(whole);
			}),
			{ numRuns: 60 },
		);
	});

	test("has usage whose parts sum to the whole", () => {
		const count = fc.nat(1_000_000);
		fc.assert(
			fc.property(count, count, count, count, (total, cacheRead, cacheWrite, output) => {
				const usage = { input: { total, cacheRead, cacheWrite }, output: { total: output } };
				const { body } = messages.client.encodeResponse(answered([], { usage }), asked());
				const told = (body as Json)["usage"] as Record<string, number>;
				const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
				expect(parts.reduce((sum, part) => sum + (told[part] ?? Number.NaN), 0)).toBe(total);
				expect(told["output_tokens"]).toBe(output);
			}),
		);
	});
});

test("any history becomes turns that an upstream takes", () => {
	const role = fc.constantFrom("user" as const, "assistant" as const, "system" as const, "tool" as const);
	const message = fc.record({ role, blocks: fc.array(anyBlock, { minLength: 1, maxLength: 4 }) });
	fc.assert(
		fc.property(fc.array(message, { maxLength: 6 }), (said) => {
			const { request } = normalizeRequest(neutral({ messages: said }));
			const { sent } = encode(request);
			const turns = sent["messages"] as readonly { role: string; content: readonly Json[] }[];
			expect(turns[0]?.role).toBe("user");
			for (const [at, turn] of turns.entries()) {
				expect(turn.content.length).toBeGreaterThan(0);
				expect(turn.role).not.toBe(turns[at - 1]?.role);
				const results = turn.content.map(({ type }) => type === "tool_result");
				expect(results.lastIndexOf(true)).toBe(results.filter(Boolean).length - 1);
				const calls = turn.content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
				const answers = turns[at + 1]?.content.filter(({ type }) => type === "tool_result");
				expect(answers?.map((answer) => answer["tool_use_id"]) ?? []).toEqual(calls);
			}
		}),
	);
});
