import { describe, expect, test } from "bun:test";
import {
	type Block,
	type Citation,
	explode,
	type Finish,
	type NeutralEvent,
	type NeutralRequest,
	type NeutralResponse,
} from "#core";
import { streamFaults } from "../../../test/support/grammar/check.ts";
import { askOf, chunksOf, decoded, given, neutral, response, streamed, type Wire } from "../fixtures/asks.ts";
import { generateContent } from "../protocol.ts";
import { isCarried, unsignedMark } from "../signatures.ts";

const claude = { protocol: "messages", family: "claude" };
const own = { protocol: "generate-content", family: "gemini" };
const say = (text: string, more: object = {}): Block => ({ type: "text", text, ...more });
const call = (id: string, args: object = {}): Block => ({
	type: "tool_call",
	id,
	name: "f",
	kind: "function",
	arguments: { form: "json", value: args, text: JSON.stringify(args) },
});

/** What a client makes of a stream: the parts of its chunks, texts of one kind joined; a mark stands on the first of them. */
const partsOf = (text: string): Wire[] => {
	const joined: Wire[] = [];
	for (const chunk of chunksOf(text))
		for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
			const before = joined.at(-1);
			const plain = Object.keys(part).every((key) => key === "text" || key === "thought");
			const whole = before?.thoughtSignature && (before.thought || !isCarried(before.thoughtSignature));
			if (plain && before && !whole && "text" in before && before.thought === part.thought) before.text += part.text;
			else joined.push({ ...part });
		}
	return joined;
};

/** Stream and whole answer must agree. */
const both = (answer: NeutralResponse, request: NeutralRequest = neutral()) => {
	const text = streamed(explode(answer), request);
	expect(streamFaults("generate-content", text)).toEqual([]);
	const chunks = chunksOf(text);
	return { whole: given(answer, request), parts: partsOf(text), chunks, last: chunks.at(-1) };
};

describe("answers for Gemini clients", () => {
	test("a thought that Gemini did not sign bears no signature", () => {
		const thought: Block = { type: "thinking", text: "Hm.", form: "summary", signature: unsignedMark("gemini") };
		const { whole, parts } = both(response([thought, say("Hello")]));
		const want = [{ text: "Hm.", thought: true }, { text: "Hello" }];
		expect(whole.candidates[0].content.parts).toEqual(want);
		expect(parts).toEqual(want);
		const hiding = neutral({ reasoning: { mode: "auto", expose: "none" } });
		expect(both(response([thought, say("Hello")]), hiding).parts).toEqual([{ text: "Hello" }]);
	});

	test("H91 every answer and chunk names its candidate, the model asked for and the answer's id", () => {
		const { whole, chunks } = both(response([say("Hello there")]));
		for (const each of [whole, ...chunks]) {
			expect(each.modelVersion).toBe("fast");
			expect(each.responseId).toBe("answer-1");
			expect(each.candidates[0].index).toBe(0);
			expect(each.candidates[0].content.role).toBe("model");
		}
		expect(whole.candidates[0]).toEqual({
			content: { parts: [{ text: "Hello there" }], role: "model" },
			finishReason: "STOP",
			index: 0,
		});
	});

	test("H89 no part is empty, no chunk is without one, and the last has something to say", () => {
		const { chunks, parts } = both(
			response([{ type: "thinking", text: "Hm 🤔", form: "full" }, say("Hi 👋"), call("a"), say("!")]),
		);
		for (const { candidates } of chunks) {
			expect(candidates[0].content.parts.length).toBeGreaterThan(0);
			for (const part of candidates[0].content.parts) expect(part.text).not.toBe("");
		}
		expect(chunks.at(-1).candidates[0].finishReason).toBe("STOP");
		expect(parts).toEqual([
			{ text: "Hm 🤔", thought: true },
			{ text: "Hi 👋" },
			{ functionCall: { id: "a", name: "f", args: {} } },
			{ text: "!" },
		]);
	});

	test("letters are not cut in two when the last one is held back", () => {
		const events: NeutralEvent[] = [
			{ type: "start", id: "r", model: "m", createdAt: 1 },
			{ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } },
			...["👋", "👋", "a", ""].map(
				(text): NeutralEvent => ({ type: "delta", block: 0, delta: { type: "text", text } }),
			),
			{ type: "close", block: 0 },
			{ type: "finish", candidate: 0, finish: { reason: "stop" } },
			{ type: "end", clean: true },
		];
		const texts = chunksOf(streamed(events)).map((chunk) => chunk.candidates[0].content.parts[0].text);
		expect(texts).toEqual(["👋", "👋", "a"]);
	});

	test("parts of a summary are kept apart in a stream as in a whole answer", () => {
		const { whole, parts } = both(
			response([{ type: "thinking", text: "", parts: ["p1", "p2"], form: "summary" }, say("Hi")]),
		);
		expect(whole.candidates[0].content.parts[0]).toEqual({ text: "p1\n\np2", thought: true });
		expect(parts).toEqual([{ text: "p1\n\np2", thought: true }, { text: "Hi" }]);
	});

	test("no chunk holds the end of a thought and words: Haystack tells its users no words of such a one", () => {
		const thought: Block = {
			type: "thinking",
			text: "Hm.",
			form: "full",
			signature: { value: "c2ln", origin: claude },
		};
		const { chunks } = both(response([thought, say("Hello"), { ...thought, text: "So." }, say("you")]));
		const sorts = chunks.map(({ candidates }) =>
			candidates[0].content.parts.map(({ thought = false }: Wire) => (thought ? "thought" : "words")),
		);
		expect(sorts.map((each) => new Set(each).size)).toEqual(sorts.map(() => 1));
	});

	test("calls side by side are told in one chunk: Haystack makes one call of two that come apart", () => {
		const { chunks } = both(response([say("Look"), call("a"), call("b"), say("and"), call("c")]));
		const names = chunks.map(({ candidates }) =>
			candidates[0].content.parts.map((part: Wire) => part.functionCall?.id ?? part.text),
		);
		expect(names).toEqual([["Loo"], ["k"], ["a", "b"], ["an"], ["d"], ["c"]]);
	});

	test("the last chunk has a part also when the answer ends in a block that cannot be shown", () => {
		const search = { type: "server_call", id: "s", tool: "web_search", name: "web_search", arguments: { query: "x" } };
		const { chunks } = both(response([say("done"), search as Block]));
		expect(chunks.map(({ candidates }) => candidates[0].content)).toEqual([
			{ parts: [{ text: "don" }], role: "model" },
			{ parts: [{ text: "e" }], role: "model" },
		]);
	});

	test("the signature of a text without a letter does not go to the text before it", () => {
		const { whole, parts } = both(response([say("done"), say("", { signature: { value: "U0lH", origin: own } })]));
		expect(whole.candidates[0].content.parts).toEqual([{ text: "done" }, { text: "", thoughtSignature: "U0lH" }]);
		expect(parts).toEqual([{ text: "done" }, { text: "", thoughtSignature: "U0lH" }]);
	});

	test("the first words go out with their first event", () => {
		const encoder = generateContent.client.streamEncoder(neutral());
		encoder.push({ type: "start", id: "r", model: "m", createdAt: 1 });
		encoder.push({ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } });
		expect(encoder.push({ type: "delta", block: 0, delta: { type: "text", text: "Hello" } })).toContain(
			'{"text":"Hell"}',
		);
	});

	test("H87 arguments in pieces are one call, told when it is whole", () => {
		const shell: Block = {
			type: "tool_call",
			id: "a",
			name: "f",
			kind: "function",
			arguments: { form: "invalid", text: "" },
		};
		const piece = (block: number, text: string): NeutralEvent => ({
			type: "delta",
			block,
			delta: { type: "arguments", text },
		});
		const events: NeutralEvent[] = [
			{ type: "start", id: "r", model: "m", createdAt: 1 },
			{ type: "open", block: 0, candidate: 0, shell },
			{ type: "open", block: 1, candidate: 0, shell: { ...shell, id: "b" } },
			piece(0, '{"city":'),
			piece(1, '{"n"'),
			piece(0, '"Oslo"}'),
			piece(1, ":1}"),
			{ type: "close", block: 0 },
			{ type: "close", block: 1 },
			{ type: "finish", candidate: 0, finish: { reason: "tool_calls" } },
			{ type: "end", clean: true },
		];
		const text = streamed(events);
		expect(partsOf(text)).toEqual([
			{ functionCall: { id: "a", name: "f", args: { city: "Oslo" } } },
			{ functionCall: { id: "b", name: "f", args: { n: 1 } } },
		]);
		expect(streamFaults("generate-content", text)).toEqual([]);
	});

	test("arguments cut off are not told as a call", () => {
		const broken: Block = {
			type: "tool_call",
			id: "a",
			name: "f",
			kind: "function",
			arguments: { form: "invalid", text: '{"ci' },
		};
		const { whole, parts } = both({
			...response([say("Hm"), broken]),
			candidates: [{ index: 0, blocks: [say("Hm"), broken], finish: { reason: "length" } }],
		});
		expect(whole.candidates[0]).toMatchObject({ content: { parts: [{ text: "Hm" }] }, finishReason: "MAX_TOKENS" });
		expect(parts).toEqual([{ text: "Hm" }]);
	});

	test("a call that ends the answer but is no JSON is a malformed one, whose words are told", () => {
		const broken: Block = {
			type: "tool_call",
			id: "a",
			name: "f",
			kind: "function",
			arguments: { form: "invalid", text: "{nope}" },
		};
		const { whole, last } = both(response([say("Hm"), broken]));
		for (const { candidates } of [whole, last])
			expect(candidates[0]).toMatchObject({
				finishReason: "MALFORMED_FUNCTION_CALL",
				finishMessage: "Malformed function call: f({nope})",
			});
	});

	test("the words of a sound stand after it", () => {
		const media = { by: "bytes", mime: "audio/wav", base64: "UklGRg==" } as const;
		const { whole, parts } = both(response([{ type: "audio", media, transcript: "Good day." }, say(" So?")]));
		const sound = { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } };
		expect(whole.candidates[0].content.parts).toEqual([sound, { text: "Good day. So?" }]);
		expect(parts).toEqual([sound, { text: "Good day. So?" }]);
	});

	test("H92 usage: prompt without results of tools, answer without thoughts, all of it the total", () => {
		const usage = { input: { total: 120, cacheRead: 75, toolUse: 20, image: 40 }, output: { total: 15, reasoning: 5 } };
		const { whole, last } = both(response([say("x")], { usage, tier: "flex" }));
		const want = {
			promptTokenCount: 100,
			candidatesTokenCount: 10,
			totalTokenCount: 135,
			cachedContentTokenCount: 75,
			toolUsePromptTokenCount: 20,
			thoughtsTokenCount: 5,
			promptTokensDetails: [
				{ modality: "TEXT", tokenCount: 60 },
				{ modality: "IMAGE", tokenCount: 40 },
			],
			serviceTier: "flex",
		};
		expect(whole.usageMetadata).toEqual(want);
		expect(last.usageMetadata).toEqual(want);
	});

	test.each([
		[{ reason: "stop", raw: "end_turn" }, "STOP"],
		[{ reason: "stop_sequence" }, "STOP"],
		[{ reason: "length" }, "MAX_TOKENS"],
		[{ reason: "context_full" }, "MAX_TOKENS"],
		[{ reason: "pause" }, "MAX_TOKENS"],
		[{ reason: "refusal" }, "SAFETY"],
		[{ reason: "safety", raw: "PROHIBITED_CONTENT" }, "PROHIBITED_CONTENT"],
		[{ reason: "safety", raw: "content_filter" }, "SAFETY"],
		[{ reason: "safety", raw: "PUP_LIMITED_DISABLED" }, "SAFETY"],
		[{ reason: "length", raw: "CONTINUATION" }, "MAX_TOKENS"],
		[{ reason: "recitation" }, "RECITATION"],
		[{ reason: "malformed_call", raw: "UNEXPECTED_TOOL_CALL" }, "UNEXPECTED_TOOL_CALL"],
		[{ reason: "other", raw: "something" }, "STOP"],
		[{ reason: "other" }, "OTHER"],
	] as readonly (readonly [Finish, string])[])("finish %p is %s", (finish, word) => {
		const { whole, last } = both({ ...response([]), candidates: [{ index: 0, blocks: [say("x")], finish }] });
		expect(whole.candidates[0].finishReason).toBe(word);
		expect(last.candidates[0].finishReason).toBe(word);
	});

	test("a blocked prompt has no candidates", () => {
		const { whole, last } = both({ ...response([]), candidates: [], promptBlocked: { reason: "SAFETY" } });
		expect(whole).toEqual({ promptFeedback: { blockReason: "SAFETY" }, modelVersion: "fast", responseId: "answer-1" });
		expect(last).toEqual(whole);
		expect(given({ ...response([]), candidates: [], promptBlocked: { reason: "NEW_WORD" } }).promptFeedback).toEqual({
			blockReason: "OTHER",
		});
	});

	test("signatures of Gemini's go out as they are, those of others marked for the way back", () => {
		const foreign = { value: "Zm9y", origin: claude };
		const blocks: Block[] = [
			{ type: "thinking", text: "Hm.", form: "full", signature: foreign },
			{ type: "opaque_thinking", data: { value: "cmVk", origin: claude } },
			say("Well", { signature: { value: "T3du", origin: own } }),
			{ ...(call("a") as object), signature: { value: "Q2Fs", origin: own } } as Block,
		];
		const { whole, parts } = both(response(blocks));
		expect(whole.candidates[0].content.parts).toEqual([
			{ text: "Hm.", thought: true, thoughtSignature: btoa("portico.messages.claude.Zm9y") },
			{ text: "", thought: true, thoughtSignature: btoa("portico.messages.claude.~cmVk") },
			{ text: "Well", thoughtSignature: "T3du" },
			{ functionCall: { id: "a", name: "f", args: {} }, thoughtSignature: "Q2Fs" },
		]);
		const back = (sent: Wire[]) =>
			decoded({
				contents: [
					{ role: "user", parts: [{ text: "?" }] },
					{ role: "model", parts: sent },
				],
			}).messages[1]?.blocks;
		expect(back(whole.candidates[0].content.parts)).toEqual([
			{ type: "thinking", text: "Hm.", form: "summary", signature: foreign },
			...blocks.slice(1),
		] as never);
		expect(back(parts)).toMatchObject([
			{ type: "thinking", text: "Hm.", signature: foreign },
			{ type: "opaque_thinking" },
			{ type: "text", text: "Wel" },
			{ type: "text", text: "l", signature: { value: "T3du" } },
			{ type: "tool_call", signature: { value: "Q2Fs" } },
		] as never);
	});

	test("reasoning that shows nothing marks what is said or called after it, and comes back from there", () => {
		const mark = (value: string) => btoa(`portico.messages.claude.${value}`);
		const redacted: Block = { type: "opaque_thinking", data: { value: "cmVk", origin: claude } };
		const unseen: Block = { type: "thinking", text: "", form: "full", signature: { value: "c2ln", origin: claude } };
		const back = (sent: Wire[]) => {
			const contents = [
				{ role: "user", parts: [{ text: "?" }] },
				{ role: "model", parts: sent },
			];
			return decoded({ contents }).messages[1]?.blocks;
		};
		const told = (blocks: Block[], request?: NeutralRequest) => {
			const { whole, parts } = both(response(blocks), request);
			expect(parts).toEqual(whole.candidates[0].content.parts);
			return parts;
		};
		const said = [redacted, say("Hello"), unseen, call("a"), call("b")];
		expect(told(said)).toEqual([
			{ text: "Hello", thoughtSignature: mark("~cmVk") },
			{ functionCall: { id: "a", name: "f", args: {} }, thoughtSignature: mark("c2ln") },
			{ functionCall: { id: "b", name: "f", args: {} } },
		]);
		expect(back(told(said))).toEqual(said.map((block) => (block === unseen ? { ...block, form: "summary" } : block)));
		// A letter alone is held back to the end of a stream, and bears its mark all the same.
		expect(told([redacted, say("H"), call("a")])).toEqual([
			{ text: "H", thoughtSignature: mark("~cmVk") },
			{ functionCall: { id: "a", name: "f", args: {} } },
		]);
		// Where nothing follows that could bear it, and where more reasoning does, it has a part of its own.
		const alone = { text: "", thought: true, thoughtSignature: mark("~cmVk") };
		expect(told([say("Hi"), redacted])).toEqual([{ text: "Hi" }, alone]);
		expect(told([redacted, unseen, say("Hi")])).toEqual([alone, { text: "Hi", thoughtSignature: mark("c2ln") }]);
		expect(told([redacted, { type: "thinking", text: "Hm.", form: "full" }, say("Hi")])).toEqual([
			alone,
			{ text: "Hm.", thought: true },
			{ text: "Hi" },
		]);
		// What is hidden shows nothing either.
		const hiding = neutral({ reasoning: { mode: "on", expose: "none" } });
		const shown: Block = { type: "thinking", text: "Hm.", form: "full", signature: { value: "c2ln", origin: claude } };
		expect(told([shown, say("Hi")], hiding)).toEqual([{ text: "Hi", thoughtSignature: mark("c2ln") }]);
	});

	test("thoughts are not shown to a client that said so", () => {
		const request = neutral({ reasoning: { mode: "on", expose: "none" } });
		const { whole, parts } = both(response([{ type: "thinking", text: "Hm.", form: "full" }, say("Yes")]), request);
		expect(whole.candidates[0].content.parts).toEqual([{ text: "Yes" }]);
		expect(parts).toEqual([{ text: "Yes" }]);
	});

	test("H83 citations become one grounding with spans in bytes", () => {
		const cite = (url: string, start: number, end: number): Citation => ({
			kind: "url",
			url,
			title: url.slice(8, 9),
			target: { start, end },
		});
		const first = say("Grüße! ", { citations: [cite("https://a.example", 0, 6)] });
		const second = say("東京 is big.", {
			citations: [cite("https://b.example", 0, 2), cite("https://a.example", 0, 2)],
		});
		const { whole, last } = both(response([first, second]));
		const want = {
			groundingChunks: [
				{ web: { uri: "https://a.example", title: "a" } },
				{ web: { uri: "https://b.example", title: "b" } },
			],
			groundingSupports: [
				{ segment: { endIndex: 8, text: "Grüße!" }, groundingChunkIndices: [0] },
				{ segment: { startIndex: 9, endIndex: 15, text: "東京" }, groundingChunkIndices: [1, 0] },
			],
		};
		expect(whole.candidates[0].groundingMetadata).toEqual(want);
		expect(last.candidates[0].groundingMetadata).toEqual(want);
		const said: string = whole.candidates[0].content.parts[0].text;
		for (const { segment } of want.groundingSupports) {
			const bytes = Buffer.from(said).subarray("startIndex" in segment ? segment.startIndex : 0, segment.endIndex);
			expect(bytes.toString()).toBe(segment.text);
		}
	});

	test("files that are cited without a name are told apart by their ids", () => {
		const cited = ["file_1", "file_2"].map((fileId): Citation => ({ kind: "file", fileId }));
		const { whole, last } = both(response([say("Sums.", { citations: cited })]));
		const chunks = [{ retrievedContext: { title: "file_1" } }, { retrievedContext: { title: "file_2" } }];
		for (const { candidates } of [whole, last]) expect(candidates[0].groundingMetadata.groundingChunks).toEqual(chunks);
	});

	test("a search of another provider's is told by its queries, its code as code", () => {
		const blocks: Block[] = [
			{ type: "server_call", id: "s", tool: "web_search", name: "web_search", arguments: { query: "oslo" } },
			{ type: "server_result", callId: "s", tool: "web_search", result: [{ url: "https://o.example", title: "O" }] },
			{ type: "server_call", id: "c", tool: "code_execution", name: "code", arguments: { code: "1+1" } },
			{ type: "server_result", callId: "c", tool: "code_execution", result: { output: "2" } },
			say("Done"),
		];
		const { whole, parts } = both(response(blocks));
		const want = [
			{ executableCode: { id: "c", language: "PYTHON", code: "1+1" } },
			{ codeExecutionResult: { id: "c", outcome: "OUTCOME_OK", output: "2" } },
			{ text: "Done" },
		];
		expect(whole.candidates[0].content.parts).toEqual(want);
		expect(parts).toEqual(want);
		expect(whole.candidates[0].groundingMetadata).toEqual({ webSearchQueries: ["oslo"] });
	});

	test("media and logprobs", () => {
		const items = [{ token: "x", logprob: -0.5, top: [{ token: "x", logprob: -0.5 }] }];
		const image: Block = { type: "image", media: { by: "bytes", mime: "image/png", base64: "AAAA" } };
		const { whole, last, parts } = both(response([say("x", { logprobs: items }), image]));
		expect(parts).toEqual([{ text: "x" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }]);
		const logprobsResult = {
			chosenCandidates: [{ token: "x", logProbability: -0.5 }],
			topCandidates: [{ candidates: [{ token: "x", logProbability: -0.5 }] }],
		};
		expect(whole.candidates[0]).toMatchObject({ avgLogprobs: -0.5, logprobsResult });
		expect(last.candidates[0]).toMatchObject({ avgLogprobs: -0.5, logprobsResult });
	});

	test("several candidates each get their parts and their end", () => {
		const answer = {
			...response([]),
			candidates: [0, 1].map((index) => ({
				index,
				blocks: [say(`Answer ${index}`)],
				finish: { reason: "stop" as const },
			})),
		};
		const { whole, chunks, last } = both(answer);
		expect(whole.candidates.map((each: Wire) => each.content.parts[0].text)).toEqual(["Answer 0", "Answer 1"]);
		expect(last.candidates).toHaveLength(2);
		const said = (index: number) =>
			chunks
				.flatMap((chunk) => chunk.candidates)
				.filter((each: Wire) => each.index === index)
				.map((each: Wire) => each.content.parts[0].text)
				.join("");
		expect([said(0), said(1)]).toEqual(["Answer 0", "Answer 1"]);
	});

	test("an answer without a word is still an answer", () => {
		const { whole, last } = both(response([]));
		expect(whole.candidates).toEqual([{ content: { role: "model" }, finishReason: "STOP", index: 0 }]);
		expect(last.candidates).toEqual(whole.candidates);
	});
});

describe("the forms of a stream", () => {
	const answer = response([say("Hello there"), call("a", { x: 1 })], {
		usage: { input: { total: 1 }, output: { total: 2 } },
	});
	const asked = (tail: string) => {
		const ask = askOf({ contents: "Hi" }, tail);
		return { ask, request: generateContent.client.decodeRequest(ask) };
	};

	test("H88 without alt=sse the stream is one JSON array", () => {
		const { ask, request } = asked("m:streamGenerateContent");
		expect(generateContent.client.streamType(ask)).toBe("application/json");
		const text = streamed(explode(answer), request);
		expect(streamFaults("generate-content", text, { array: true })).toEqual([]);
		expect(text).toMatch(/^\[\{[\s\S]*\}\n,\r\n\{[\s\S]*\}\n\]$/);
		const sse = chunksOf(streamed(explode(answer), asked("m:streamGenerateContent?alt=sse").request));
		expect(JSON.parse(text)).toEqual(sse);
	});

	test("a failure in the middle ends an array properly, with the error as its last element", () => {
		const { request } = asked("m:streamGenerateContent");
		const broken = explode(answer).filter(({ type }) => type !== "finish" && type !== "end");
		const error = { kind: "overloaded", message: "Busy." } as const;
		const text = streamed([...broken, { type: "error", error }], request);
		expect(streamFaults("generate-content", text, { array: true })).toEqual([]);
		expect(JSON.parse(text).at(-1)).toEqual({ error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } });
	});

	test("a failure among events is an event and a bare last line, after everything that was held back", () => {
		const { request } = asked("m:streamGenerateContent?alt=sse");
		const broken = explode(response([say("Hello")])).filter(({ type }) => type !== "finish" && type !== "end");
		const text = streamed([...broken, { type: "error", error: { kind: "upstream", message: "Gone." } }], request);
		expect(streamFaults("generate-content", text)).toEqual([]);
		const error = '{"error":{"code":502,"message":"Gone.","status":"UNAVAILABLE"}}';
		expect(text.endsWith(`data: ${error}\n\n${error}\n`)).toBe(true);
		expect(partsOf(text)).toEqual([{ text: "Hello" }]);
	});

	test("a failure before the first word", () => {
		const { ask } = asked("m:streamGenerateContent");
		const denial = { kind: "upstream", message: "Gone." } as const;
		expect(JSON.parse(generateContent.client.renderStreamDenial(denial, ask))).toHaveLength(1);
		expect(
			streamFaults(
				"generate-content",
				generateContent.client.renderStreamDenial(denial, asked("m:streamGenerateContent?alt=sse").ask),
			),
		).toEqual([]);
	});

	test("nothing is written for silence, and nothing after the end", () => {
		const encoder = generateContent.client.streamEncoder(neutral());
		expect(generateContent.client.keepAlive).toBeUndefined();
		expect(encoder.push({ type: "tick" })).toBe("");
		encoder.push({ type: "start", id: "r", model: "m", createdAt: 1 });
		encoder.push({ type: "finish", candidate: 0, finish: { reason: "stop" } });
		expect(encoder.push({ type: "end", clean: true })).not.toBe("");
		expect(encoder.push({ type: "end", clean: true })).toBe("");
	});
});
