import { describe, expect, test } from "bun:test";
import type { Block, NeutralEvent, Opaque } from "#core";
import { bodyWith, dataOf, neutralOf, streamOf } from "../fixtures/ask.ts";
import { answerWith, callBlock, eventsWith, normalized, textBlock } from "../fixtures/events.ts";
import { chatCompletions } from "../protocol.ts";

const asking = (more: Record<string, unknown> = {}) => neutralOf(bodyWith({ model: "fast", stream: true, ...more }));

interface Chunk {
	readonly model: string;
	readonly usage?: Record<string, unknown> | null;
	readonly service_tier?: string;
	readonly choices: readonly {
		readonly index: number;
		readonly delta: Record<string, unknown>;
		readonly logprobs: unknown;
		readonly finish_reason: string | null;
	}[];
}

const chunksOf = (events: readonly NeutralEvent[], request = asking()): Chunk[] =>
	dataOf(streamOf(events, request)).flatMap((data) => (data === "[DONE]" ? [] : [JSON.parse(data)]));
const deltas = (events: readonly NeutralEvent[], request = asking()) =>
	chunksOf(events, request).flatMap(({ choices }) => choices.map(({ delta }) => delta));
const said = (...blocks: Block[]) => eventsWith(answerWith(blocks));
const opaque: Opaque = { value: "SIG", origin: { protocol: "messages", family: "claude" } };

describe("a stream of chunks for a client", () => {
	test("is exactly this", () => {
		const usage = { input: { total: 4, cacheRead: 1 }, output: { total: 2, reasoning: 1 } };
		const events = eventsWith(answerWith([textBlock("Hé")], { usage, tier: "standard" }));
		const head =
			'data: {"id":"msg_1","object":"chat.completion.chunk","created":1700000000,"model":"fast","service_tier":"default","choices":[';
		const chunk = (delta: string, finish = "null") =>
			`${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null}\n\n`;
		const want = [
			chunk('{"role":"assistant","content":"","refusal":null}'),
			chunk('{"content":"Hé"}'),
			chunk("{}", '"stop"'),
			`${head}],"usage":{"prompt_tokens":4,"completion_tokens":2,"total_tokens":6,` +
				'"prompt_tokens_details":{"cached_tokens":1,"audio_tokens":0},' +
				'"completion_tokens_details":{"reasoning_tokens":1,"audio_tokens":0,' +
				'"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}\n\n',
			"data: [DONE]\n\n",
		];
		expect(streamOf(events, asking({ stream_options: { include_usage: true } }))).toBe(want.join(""));
	});

	test("tells a tier with the usage that was known no earlier", () => {
		const usage = { input: { total: 4 }, output: { total: 2 } };
		const [start, ...events] = eventsWith(answerWith([textBlock("a")], { usage }));
		const told = (tier?: string) =>
			chunksOf(
				normalized([
					{ ...(start as NeutralEvent & { type: "start" }), ...(tier && { tier }) },
					...events.slice(0, -1),
					{ type: "usage", usage, tier: "flex" },
					{ type: "end", clean: true },
				]),
				asking({ stream_options: { include_usage: true } }),
			).map((chunk) => chunk.service_tier);
		expect(told()).toEqual([undefined, undefined, undefined, "flex"]);
		expect(new Set(told("auto"))).toEqual(new Set(["auto"]));
	});

	test("says nothing of usage that was not asked for", () => {
		const usage = { input: { total: 4 }, output: { total: 2 } };
		expect(streamOf(eventsWith(answerWith([textBlock("a")], { usage })), asking())).not.toContain("usage");
	});

	test("H21 calls are numbered by themselves, whatever stands between them", () => {
		const events = said(textBlock("a"), callBlock("c1", "f", "{}"), textBlock("b"), callBlock("c2", "g", '{"x":1}'));
		const pieces = deltas(events).flatMap((delta) => (delta["tool_calls"] as { index: number }[]) ?? []);
		expect(pieces.map(({ index }) => index)).toEqual([0, 0, 1, 1]);
	});

	test("the first piece of a call has id, type and name, the others arguments alone", () => {
		const [first, second] = deltas(said(callBlock("c1", "f", '{"x":1}'))).flatMap((delta) => delta["tool_calls"] ?? []);
		expect(first).toEqual({ index: 0, id: "c1", type: "function", function: { name: "f", arguments: "" } });
		expect(second).toEqual({ index: 0, function: { arguments: '{"x":1}' } });
	});

	test("H22 a call without arguments gets {}", () => {
		const pieces = deltas(said(callBlock("c1", "f", ""))).flatMap(
			(delta) => (delta["tool_calls"] as { function: { arguments: string } }[]) ?? [],
		);
		expect(pieces.map((piece) => piece.function.arguments).join("")).toBe("{}");
	});

	test("H23 an error in the middle is an error event and nothing follows it", () => {
		const events = normalized([
			{ type: "open", block: 0, candidate: 0, shell: textBlock("") },
			{ type: "delta", block: 0, delta: { type: "text", text: "a" } },
			{ type: "error", error: { kind: "overloaded", message: "Busy." } },
			{ type: "delta", block: 0, delta: { type: "text", text: "b" } },
			{ type: "end", clean: true },
		]);
		const datas = dataOf(streamOf(events, asking()));
		expect(JSON.parse(datas.at(-1) ?? "")).toEqual({
			error: { message: "Busy.", type: "server_error", param: null, code: "server_is_overloaded" },
		});
		expect(datas.length).toBe(3);
	});

	test("H43 an end that is not clean is never a clean end", () => {
		const text = streamOf(
			[
				{ type: "start", id: "1", model: "m", createdAt: 1 },
				{ type: "end", clean: false },
			],
			asking(),
		);
		expect(text).toContain('"error"');
		expect(text).not.toContain("[DONE]");
	});

	test("H24 H25 H26 H27 H64 H79 every way to end has OpenAI's word", () => {
		const words = {
			length: "length",
			context_full: "length",
			safety: "content_filter",
			refusal: "content_filter",
			recitation: "content_filter",
			pause: "length",
			stop_sequence: "stop",
			other: "stop",
		} as const;
		const told = Object.keys(words).map((reason) => {
			const events = eventsWith(answerWith([textBlock("a")], {}, { reason: reason as keyof typeof words }));
			return [reason, chunksOf(events).at(-1)?.choices[0]?.finish_reason];
		});
		expect(Object.fromEntries(told)).toEqual(words);
	});

	test.each(["error", "malformed_call"] as const)(
		"H79 an answer that ends with %s is an error, not a stop",
		(reason) => {
			const finish = { reason, message: "No resources." } as const;
			const text = streamOf(eventsWith(answerWith([textBlock("a")], {}, finish)), asking());
			expect(text).toContain('{"error":{"message":"No resources."');
			expect(text).not.toContain("[DONE]");
		},
	);

	test("H15 streams share nothing", () => {
		const events = said(textBlock("a"), callBlock("c", "f", "{}"));
		const encoders = [asking(), asking()].map((request) => chatCompletions.client.streamEncoder(request));
		const texts = ["", ""];
		for (const event of events) for (const [at, encoder] of encoders.entries()) texts[at] += encoder.push(event);
		expect(texts).toEqual([streamOf(events, asking()), streamOf(events, asking())]);
	});

	test("H65 H66 the finish is null until the last chunk and tool_calls when a call was made", () => {
		const reasons = chunksOf(said(callBlock("c", "f", "{}"))).map(({ choices }) => choices[0]?.finish_reason);
		expect(reasons).toEqual([null, null, null, "tool_calls"]);
	});

	test("a refusal in words ends with stop, as OpenAI's own does", () => {
		const chunks = chunksOf(said({ type: "refusal", text: "I cannot." }));
		expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
			{ role: "assistant", content: null, refusal: null },
			{ refusal: "I cannot." },
			{},
		]);
		expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
	});

	test("why an answer was withheld is its refusal, beside content_filter and what was said before", () => {
		const finish = { reason: "refusal", message: "No way." } as const;
		const withheld = chunksOf(eventsWith(answerWith([], {}, finish)));
		expect(withheld.map(({ choices }) => [choices[0]?.delta, choices[0]?.finish_reason])).toEqual([
			[{ role: "assistant", content: null, refusal: null }, null],
			[{ refusal: "No way." }, null],
			[{}, "content_filter"],
		]);
		expect(deltas(eventsWith(answerWith([textBlock("Well")], {}, finish))).slice(1)).toEqual([
			{ content: "Well" },
			{ refusal: "No way." },
			{},
		]);
	});

	test("H29 H31 redacted and signed thinking is carried, and never told as text", () => {
		const events = said(
			{ type: "thinking", text: "hm", form: "full", signature: opaque },
			{ type: "opaque_thinking", data: { ...opaque, value: "RED" } },
			textBlock("Four"),
		);
		expect(deltas(events).slice(1, -1)).toEqual([
			{ reasoning_content: "hm" },
			{
				reasoning_details: [
					{
						type: "reasoning.text",
						text: "hm",
						signature: "portico.messages.claude.SIG",
						format: "unknown",
						index: 0,
					},
				],
			},
			{
				reasoning_details: [
					{ type: "reasoning.encrypted", data: "portico.messages.claude.RED", format: "unknown", index: 1 },
				],
			},
			{ content: "Four" },
			{
				reasoning_details: [
					{
						type: "reasoning.text",
						text: "hm",
						signature: "portico.messages.claude.SIG",
						format: "unknown",
						index: 2,
					},
					{ type: "reasoning.encrypted", data: "portico.messages.claude.RED", format: "unknown", index: 3 },
				],
			},
		]);
	});

	test("one thought alone is told once, before what follows it", () => {
		const events = said({ type: "thinking", text: "hm", form: "full", signature: opaque }, textBlock("Four"));
		expect(deltas(events).map((delta) => Object.keys(delta).join())).toEqual([
			"role,content,refusal",
			"reasoning_content",
			"reasoning_details",
			"content",
			"",
		]);
	});

	test("H58 summary parts are one reasoning with breaks between them", () => {
		const events = said({ type: "thinking", text: "a\n\nb", parts: ["a", "b"], form: "summary" });
		const text = deltas(events)
			.map((delta) => delta["reasoning_content"] ?? "")
			.join("");
		expect(text).toBe("a\n\nb");
	});

	test("H30 citations are annotations with places in the whole content, and server tools are no calls", () => {
		const events = said(
			{ type: "server_call", id: "s", tool: "web_search", name: "web_search", arguments: { query: "q" } },
			{ type: "server_result", callId: "s", tool: "web_search", result: [] },
			textBlock("One. "),
			{ type: "text", text: "Two.", citations: [{ kind: "search_result", url: "https://a.test", title: "A" }] },
			{
				type: "text",
				text: " Three.",
				citations: [{ kind: "url", url: "https://b.test", title: null, target: { start: 1, end: 6 } }],
			},
		);
		// All in one delta: OpenAI's SDK for Python raises at a second one, the one for Node keeps the last alone.
		expect(deltas(events).flatMap((delta) => (delta["annotations"] ? [delta["annotations"]] : []))).toEqual([
			[
				{ type: "url_citation", url_citation: { start_index: 5, end_index: 9, url: "https://a.test", title: "A" } },
				{ type: "url_citation", url_citation: { start_index: 10, end_index: 15, url: "https://b.test", title: "" } },
			],
		]);
		expect(deltas(events)[0]).toEqual({ role: "assistant", content: "", refusal: null });
		expect(streamOf(events, asking())).not.toContain("tool_calls");
		expect(chunksOf(events).at(-1)?.choices[0]?.finish_reason).toBe("stop");
	});

	test("H32 H62 several texts are one content without separators", () => {
		expect(
			deltas(said(textBlock("a"), textBlock("b")))
				.map((delta) => delta["content"] ?? "")
				.join(""),
		).toBe("ab");
	});

	test("H77 a blocked prompt is a choice with content_filter and nothing said", () => {
		const events = eventsWith({
			...answerWith([]),
			candidates: [],
			promptBlocked: { reason: "SAFETY", message: "Blocked." },
		});
		expect(chunksOf(events).map(({ choices }) => [choices[0]?.delta, choices[0]?.finish_reason])).toEqual([
			[{ role: "assistant", content: null, refusal: null }, null],
			[{ refusal: "Blocked." }, null],
			[{}, "content_filter"],
		]);
	});

	test("H78 an answer without content has a role and a finish", () => {
		expect(chunksOf(said()).map(({ choices }) => [choices[0]?.delta, choices[0]?.finish_reason])).toEqual([
			[{ role: "assistant", content: "", refusal: null }, null],
			[{}, "stop"],
		]);
	});

	test("several candidates each have their role, calls and finish", () => {
		const response = {
			...answerWith([]),
			candidates: [
				{ index: 0, blocks: [callBlock("a", "f", "{}")], finish: { reason: "tool_calls" } as const },
				{ index: 1, blocks: [textBlock("b")], finish: { reason: "length" } as const },
			],
		};
		const chunks = chunksOf(eventsWith(response), asking({ n: 2 }));
		const of = (index: number) => chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
		expect(of(0).map(({ finish_reason }) => finish_reason)).toEqual([null, null, null, "tool_calls"]);
		expect(of(1).map(({ finish_reason }) => finish_reason)).toEqual([null, null, "length"]);
		expect(of(1)[0]?.delta["role"]).toBe("assistant");
	});

	test("logprobs come in OpenAI's form", () => {
		const top = [{ token: "b", logprob: -1 }];
		const events = said({ type: "text", text: "a", logprobs: [{ token: "a", logprob: -0.5, top }] });
		expect(chunksOf(events).flatMap(({ choices }) => choices[0]?.logprobs ?? [])).toEqual([
			{
				content: [{ token: "a", logprob: -0.5, bytes: null, top_logprobs: [{ token: "b", logprob: -1, bytes: null }] }],
				refusal: null,
			},
		]);
	});

	test("a custom tool's call comes whole", () => {
		const block: Block = {
			type: "tool_call",
			id: "c",
			name: "p",
			kind: "custom",
			arguments: { form: "text", text: "in" },
		};
		expect(deltas(said(block)).flatMap((delta) => delta["tool_calls"] ?? [])).toEqual([
			{ index: 0, id: "c", type: "custom", custom: { name: "p", input: "in" } },
		]);
	});

	test("H68 a signature of Gemini's stands at its call in Gemini's own field, another is carried there", () => {
		const gemini = { value: "S", origin: { protocol: "generate-content", family: "gemini" } };
		const signed = (signature: Opaque) => ({ ...callBlock("c", "f", "{}"), signature }) as Block;
		const [native] = deltas(said(signed(gemini))).flatMap((delta) => delta["tool_calls"] ?? []);
		expect(native).toMatchObject({ extra_content: { google: { thought_signature: "S" } } });
		const [carried] = deltas(said(signed(opaque))).flatMap((delta) => delta["tool_calls"] ?? []);
		expect(carried).toMatchObject({ extra_content: { google: { thought_signature: "portico.messages.claude.SIG" } } });
	});

	test("H63 images come as data addresses, also when they grew", () => {
		const media = { by: "bytes", mime: "image/png", base64: "" } as const;
		const events = normalized([
			{ type: "open", block: 0, candidate: 0, shell: { type: "image", media } },
			{ type: "delta", block: 0, delta: { type: "media", base64: "AAAA" } },
			{ type: "close", block: 0, final: { type: "image", media: { ...media, base64: "BBBB" } } },
			{ type: "end", clean: true },
		]);
		expect(deltas(events).flatMap((delta) => delta["images"] ?? [])).toEqual([
			{ type: "image_url", image_url: { url: "data:image/png;base64,BBBB" }, index: 0 },
		]);
	});

	test("sound comes in pieces and says how long it is kept, each by its id, as OpenAI's SDK for Java needs it", () => {
		const media = { by: "bytes", mime: "audio/wav", base64: "" } as const;
		const events = normalized([
			{ type: "open", block: 0, candidate: 0, shell: { type: "audio", media, id: "audio_7" } },
			{ type: "delta", block: 0, delta: { type: "media", base64: "AAAA" } },
			{ type: "delta", block: 0, delta: { type: "transcript", text: "Hi" } },
			{ type: "close", block: 0 },
			{ type: "end", clean: true },
		]);
		expect(deltas(events).flatMap((delta) => delta["audio"] ?? [])).toEqual([
			{ id: "audio_7", data: "AAAA" },
			{ id: "audio_7", transcript: "Hi" },
			{ id: "audio_7", expires_at: 1_700_003_600 },
		]);
	});

	test("the oldest form is answered in the oldest form", () => {
		const request = asking({ functions: [{ name: "f", parameters: {} }] });
		const chunks = chunksOf(said(callBlock("c", "f", '{"x":1}')), request);
		expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
			{ role: "assistant", content: null, refusal: null },
			{ function_call: { name: "f", arguments: "" } },
			{ function_call: { arguments: '{"x":1}' } },
			{},
		]);
		expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("function_call");
	});

	test("T10 no line but data is ever written", () => {
		const text = streamOf(said(textBlock("id: 1\nevent: x\r\n\u2028")), asking());
		expect(text.split("\n").every((line) => line === "" || line.startsWith("data: "))).toBe(true);
	});
});
