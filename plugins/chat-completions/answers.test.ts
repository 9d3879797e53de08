import { describe, expect, test } from "bun:test";
import { type Block, type ModelInfo, normalizeResponse, type Opaque } from "#core";
import { bodyWith, contextFor, neutralOf } from "./fixtures/ask.ts";
import { answerWith, callBlock, textBlock } from "./fixtures/events.ts";
import { haveRecordings, schemas } from "./fixtures/recordings.ts";
import { chatCompletions } from "./protocol.ts";
import { decodeUsage, encodeUsage, usageFor } from "./usage.ts";

const { client, upstream } = chatCompletions;
const plain = neutralOf(bodyWith({ model: "fast" }));
const decoded = (message: unknown, choice: Record<string, unknown> = {}, root: Record<string, unknown> = {}) =>
	upstream.decodeResponse(
		{
			id: "chatcmpl-1",
			object: "chat.completion",
			created: 5,
			model: "m-1",
			choices: [{ index: 0, message, finish_reason: "stop", ...choice }],
			...root,
		},
		contextFor(plain, "deepseek-chat"),
	);
const blocksOf = (message: unknown) => decoded(message).candidates[0]?.blocks;

describe("an upstream's whole answer", () => {
	test("H19 calls with the finish stop are tool_calls", () => {
		const tool_calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
		expect(decoded({ content: null, tool_calls }).candidates[0]?.finish.reason).toBe("tool_calls");
	});

	test("H14 the finish tool_calls without a call is a stop", () => {
		expect(decoded({ content: "a" }, { finish_reason: "tool_calls" }).candidates[0]?.finish).toEqual({
			reason: "stop",
			raw: "tool_calls",
		});
	});

	test("an unknown finish is a stop with its own word kept, vendors' words are known", () => {
		const reason = (word: string | null) =>
			decoded({ content: "a" }, { finish_reason: word }).candidates[0]?.finish.reason;
		expect(["eos", "model_length", "content_filter", "insufficient_system_resource", null].map(reason)).toEqual([
			"stop",
			"length",
			"safety",
			"error",
			"stop",
		]);
		expect(decoded({ content: "a" }, { finish_reason: "odd" }).candidates[0]?.finish).toEqual({
			reason: "stop",
			raw: "odd",
		});
	});

	test.each([
		["MAX_TOKENS", "length"],
		["time_limit", "length"],
		["model_context_window_exceeded", "context_full"],
		["SAFETY", "safety"],
		["content_filter: PROHIBITED_CONTENT", "safety"],
		["RECITATION", "recitation"],
		["function_call_filter: MALFORMED_FUNCTION_CALL", "malformed_call"],
		["abort", "error"],
		["cancelled", "error"],
	] as const)("the finish %s of a vendor is %s, and no stop", (raw, reason) => {
		expect(decoded({ content: "a" }, { finish_reason: raw }).candidates[0]?.finish).toEqual({ reason, raw });
	});

	test("reasoning in every dialect comes first", () => {
		const thinking = { type: "thinking", text: "hm" };
		for (const message of [
			{ content: "x", reasoning_content: "hm" },
			{ content: "x", reasoning: "hm" },
			{ content: "x", reasoning: "hm", reasoning_details: [{ type: "reasoning.summary", summary: "hm" }] },
			{
				content: [
					{ type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
					{ type: "text", text: "x" },
				],
			},
		])
			expect(blocksOf(message)).toMatchObject([thinking, { type: "text", text: "x" }]);
	});

	test("H30 annotations cite the block they stand in", () => {
		const url_citation = { url: "https://a.test", title: "A", start_index: 0, end_index: 4, content: "quoted" };
		expect(
			blocksOf({ content: "Text", annotations: [{ type: "url_citation", url_citation }, { type: "file" }] }),
		).toEqual([
			{
				type: "text",
				text: "Text",
				citations: [{ kind: "url", url: "https://a.test", title: "A", quote: "quoted", target: { start: 0, end: 4 } }],
			},
		]);
	});

	test("sound has its transcript and its time", () => {
		const audio = { id: "audio_1", data: "AAAA", transcript: "Hi", expires_at: 9 };
		expect(blocksOf({ content: null, audio })).toEqual([
			{
				type: "audio",
				media: { by: "bytes", base64: "AAAA", mime: "audio/wav" },
				id: "audio_1",
				transcript: "Hi",
				expiresAt: 9,
			},
		]);
	});

	test("an error within a 200 is the answer's error", () => {
		const context = contextFor(plain);
		const { error, candidates } = upstream.decodeResponse({ error: { message: "m", code: "content_filter" } }, context);
		expect(error?.kind).toBe("content_policy");
		expect(candidates).toEqual([]);
		expect(decoded({ content: "" }, { error: { message: "Busy", code: 503 } }).error?.kind).toBe("overloaded");
	});

	test("what is no answer is the upstream's fault", () => {
		for (const body of [{}, [], "html", null, { choices: [] }])
			expect(() => upstream.decodeResponse(body, contextFor(plain))).toThrow("holds no choices");
		expect(() => decoded({ images: [{ type: "image_url", image_url: { url: "ftp://x" } }] })).toThrow("cannot be read");
	});

	test("a choice without a message says nothing", () => {
		expect(decoded(undefined, { finish_reason: "content_filter" }).candidates).toEqual([
			{ index: 0, blocks: [], finish: { reason: "safety", raw: "content_filter" } },
		]);
	});
});

describe("a whole answer for a client", () => {
	const encoded = (blocks: readonly Block[], request = plain) =>
		client.encodeResponse(normalizeResponse(answerWith(blocks)), request).body;
	const messageOf = (blocks: readonly Block[], request = plain) =>
		(encoded(blocks, request) as { choices: { message: Record<string, unknown> }[] }).choices[0]?.message;

	test("is exactly this", () => {
		const usage = { input: { total: 3 }, output: { total: 2 } };
		const response = answerWith([textBlock("Hi")], { usage, tier: "batch" });
		expect(client.encodeResponse(response, plain).body).toEqual({
			id: "msg_1",
			object: "chat.completion",
			created: 1_700_000_000,
			model: "fast",
			choices: [
				{
					index: 0,
					message: { role: "assistant", content: "Hi", refusal: null, annotations: [] },
					logprobs: null,
					finish_reason: "stop",
				},
			],
			usage: {
				prompt_tokens: 3,
				completion_tokens: 2,
				total_tokens: 5,
				prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
				completion_tokens_details: {
					reasoning_tokens: 0,
					audio_tokens: 0,
					accepted_prediction_tokens: 0,
					rejected_prediction_tokens: 0,
				},
			},
		});
	});

	test("H22 arguments are never empty", () => {
		expect(messageOf([callBlock("c", "f", "")])?.["tool_calls"]).toMatchObject([{ function: { arguments: "{}" } }]);
	});

	test("H109 arguments are given as they came, JSON or not", () => {
		for (const text of ['"x"', "[1]", "null", '{"n":1.0}', "{broken"]) {
			const given = { form: "invalid", text } as const;
			const block: Block = { type: "tool_call", id: "c", name: "f", kind: "function", arguments: given };
			expect(messageOf([block])?.["tool_calls"]).toMatchObject([{ function: { arguments: text } }]);
		}
	});

	test("content is null beside calls and refusals, and a string otherwise", () => {
		expect(messageOf([callBlock("c", "f", "{}")])?.["content"]).toBeNull();
		expect(messageOf([{ type: "refusal", text: "No." }])).toMatchObject({ content: null, refusal: "No." });
		expect(messageOf([])?.["content"]).toBe("");
	});

	test("H29 H31 opaque reasoning travels in reasoning_details and comes back as it was", () => {
		const signature: Opaque = { value: "S.1", origin: { protocol: "messages", family: "claude" } };
		const blocks: Block[] = [
			{ type: "thinking", text: "a", form: "full", signature },
			{ type: "opaque_thinking", data: signature },
			textBlock("x"),
		];
		const message = messageOf(blocks);
		expect(message?.["content"]).toBe("x");
		const { messages } = neutralOf(bodyWith({ messages: [message] }));
		expect(messages[0]?.blocks).toEqual(blocks);
	});

	test("H68 a signature of Gemini's on text comes back to the text", () => {
		const signature: Opaque = { value: "S", origin: { protocol: "generate-content", family: "gemini" } };
		const blocks: Block[] = [{ type: "text", text: "x", signature }];
		expect(neutralOf(bodyWith({ messages: [messageOf(blocks)] })).messages[0]?.blocks).toEqual(blocks);
	});

	test("H77 a blocked prompt is one choice with content_filter", () => {
		const blocked = { ...answerWith([]), candidates: [], promptBlocked: { reason: "SAFETY" } };
		expect(client.encodeResponse(blocked, plain).body).toMatchObject({
			choices: [{ index: 0, message: { role: "assistant", content: null }, finish_reason: "content_filter" }],
		});
	});

	test("why an answer was withheld is its refusal, beside content_filter and what was said before", () => {
		const choice = (blocks: Block[]) => {
			const response = answerWith(blocks, {}, { reason: "refusal", message: "No way." });
			return (client.encodeResponse(response, plain).body as { choices: unknown[] }).choices[0];
		};
		expect(choice([])).toMatchObject({
			message: { content: null, refusal: "No way." },
			finish_reason: "content_filter",
		});
		expect(choice([textBlock("Well")])).toMatchObject({ message: { content: "Well", refusal: "No way." } });
		expect(choice([{ type: "refusal", text: "I cannot." }])).toMatchObject({
			message: { refusal: "I cannot." },
			finish_reason: "stop",
		});
	});

	test("an answer that is nothing, or an error, is a fault", () => {
		const empty = { ...answerWith([]), candidates: [] };
		expect(() => client.encodeResponse(empty, plain)).toThrow("empty");
		const torn = answerWith([textBlock("a")], {}, { reason: "error" });
		expect(() => client.encodeResponse(torn, plain)).toThrow("stopped with an error");
		const error = { kind: "overloaded", message: "Busy." } as const;
		expect(() => client.encodeResponse({ ...empty, error }, plain)).toThrow("Busy.");
	});

	test("a call of the oldest form is answered in it", () => {
		const request = neutralOf(bodyWith({ functions: [{ name: "f" }] }));
		expect(encoded([callBlock("c", "f", "{}")], request)).toMatchObject({
			choices: [{ message: { function_call: { name: "f", arguments: "{}" } }, finish_reason: "function_call" }],
		});
	});

	test.skipIf(!haveRecordings)(
		"with everything in it is what the published schema takes (needs the shared folder)",
		async () => {
			const { chatResponse, check } = await schemas();
			const all: Block[] = [
				{ type: "thinking", text: "t", form: "full" },
				{ type: "text", text: "a", citations: [{ kind: "url", url: "https://a.test" }], logprobs: [] },
				{ type: "image", media: { by: "bytes", mime: "image/png", base64: "AAAA" } },
				{ type: "audio", media: { by: "bytes", mime: "audio/wav", base64: "AAAA" } },
				callBlock("c", "f", "{}"),
				{ type: "tool_call", id: "d", name: "p", kind: "custom", arguments: { form: "text", text: "i" } },
			];
			expect(check(chatResponse(), encoded(all))).toBeNull();
		},
	);
});

describe("usage", () => {
	test("H75 tokens that a vendor counts beside the completion belong to the output", () => {
		const google = { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 };
		expect(decodeUsage(google)?.output).toEqual({ total: 74, reasoning: 62 });
		const xai = {
			prompt_tokens: 12,
			completion_tokens: 2,
			total_tokens: 334,
			completion_tokens_details: { reasoning_tokens: 320 },
		};
		expect(decodeUsage(xai)?.output).toEqual({ total: 322, reasoning: 320 });
		const openai = { ...xai, completion_tokens: 322 };
		expect(decodeUsage(openai)?.output).toEqual({ total: 322, reasoning: 320 });
	});

	test("sound that a vendor counts beside the prompt belongs to the input", () => {
		const mistral = {
			prompt_tokens: 9,
			completion_tokens: 248,
			total_tokens: 632,
			prompt_tokens_details: { audio_tokens: 375 },
		};
		expect(decodeUsage(mistral)).toEqual({ input: { total: 384, audio: 375 }, output: { total: 248 } });
	});

	test("cached tokens in any vendor's words", () => {
		const counts = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
		for (const more of [{ prompt_cache_hit_tokens: 4 }, { num_cached_tokens: 4 }, { cached_tokens: 4 }])
			expect(decodeUsage({ ...counts, ...more })?.input.cacheRead).toBe(4);
	});

	test("cached tokens of Anthropic's models, in the words of servers before them", () => {
		const counts = { prompt_tokens: 98_805, completion_tokens: 5_120, total_tokens: 103_925 };
		const input = { total: 98_805, cacheRead: 66_360, cacheWrite: 32_435 };
		const outer = { cache_read_input_tokens: 66_360, cache_creation_input_tokens: 32_435 };
		const inner = { prompt_tokens_details: { cached_tokens: 66_360, cache_creation_tokens: 32_435 } };
		for (const more of [outer, inner, { ...outer, ...inner }])
			expect(decodeUsage({ ...counts, ...more })).toEqual({ input, output: { total: 5_120 } });
	});

	test("more cached tokens than the prompt has are counted beside it, whether or not the total holds them", () => {
		const counts = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 50 } };
		const usage = { input: { total: 60, cacheRead: 50 }, output: { total: 5 } };
		expect(decodeUsage(counts)).toEqual(usage);
		expect(decodeUsage({ ...counts, total_tokens: 15 })).toEqual(usage);
		expect(decodeUsage({ ...counts, total_tokens: 65 })).toEqual(usage);
		const both = { prompt_tokens: 40, completion_tokens: 5, total_tokens: 105 };
		const details = { cached_tokens: 30, cached_creation_tokens: 30 };
		expect(decodeUsage({ ...both, prompt_tokens_details: details })?.input).toEqual({
			total: 100,
			cacheRead: 30,
			cacheWrite: 30,
		});
	});

	test("a preamble of Azure's Grok, and tokens that were read and written, are counted beside no prompt", () => {
		const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
		const preamble = { text_tokens: 10, cached_tokens: 161 };
		expect(decodeUsage({ ...counts, prompt_tokens_details: preamble })?.input).toEqual({ total: 10, cacheRead: 10 });
		const same = { cached_tokens: 9, cache_write_tokens: 9 };
		expect(decodeUsage({ ...counts, prompt_tokens_details: same })?.input.total).toBe(10);
	});

	test("counts that are none are no usage", () => {
		for (const value of [null, "x", {}, { prompt_tokens: -1, completion_tokens: 2 }, { prompt_tokens: "3" }])
			expect(decodeUsage(value)).toBeUndefined();
	});

	test("what a vendor counts beside is told clients of its own protocol, and none of its words", () => {
		const told = {
			cost: 0.00004,
			cost_details: { upstream: 0.00004 },
			queue_time: 0.1,
			note: "secret",
			is_byok: false,
		};
		const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
		const own = contextFor(neutralOf(bodyWith({})), "m");
		const usage = usageFor(own, { ...counts, ...told }, false);
		const { cost, cost_details, queue_time } = told;
		expect(usage && encodeUsage(usage)).toMatchObject({ ...counts, cost, cost_details, queue_time });
		expect(JSON.stringify(usage)).not.toContain("secret");
		const foreign = { ...own, request: { ...own.request, protocol: "messages" } };
		expect(usageFor(foreign, { ...counts, ...told }, false)?.extras).toBeUndefined();
	});

	test("H28 the parts add up to the total, caches included", () => {
		const made = encodeUsage({
			input: { total: 30, cacheRead: 10, cacheWrite: 5 },
			output: { total: 7, reasoning: 3 },
		});
		expect(made).toMatchObject({
			prompt_tokens: 30,
			completion_tokens: 7,
			total_tokens: 37,
			prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 5 },
			completion_tokens_details: { reasoning_tokens: 3 },
		});
	});
});

test("models are listed in OpenAI's shape for whoever shows no other marks", async () => {
	const model: ModelInfo = { name: "fast", createdAt: 7, ownedBy: "portico", capabilities: {} };
	const url = new URL("http://portico.test/v1/models");
	const item = { id: "fast", object: "model", created: 7, owned_by: "portico" };
	expect(client.models?.list([model], url)).toEqual({ object: "list", data: [item] });
	expect(client.models?.item(model)).toEqual(item);
	expect(client.models?.fallback).toBe(true);
});
