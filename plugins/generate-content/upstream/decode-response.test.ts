import { describe, expect, test } from "bun:test";
import { type Block, Fault, fold, type NeutralEvent, type NeutralResponse } from "#core";
import { answer, answering, events, neutral, response } from "../fixtures/asks.ts";
import { generateContent } from "../protocol.ts";
import { encodeUsage } from "../usage.ts";

type Wire = Record<string, unknown>;
const chunk = (parts: readonly Wire[], more: Wire = {}, top: Wire = {}): Wire => ({
	candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
	modelVersion: "gemini-2.5-flash",
	responseId: "r1",
	...top,
});
const stop = { finishReason: "STOP" };
const call = (name: string, args: Wire = {}, more: Wire = {}): Wire => ({ functionCall: { name, args }, ...more });
const folded = (chunks: readonly unknown[], context = answering()): NeutralResponse => fold(events(chunks, context));
const blocksOf = ({ candidates }: NeutralResponse): readonly Block[] => candidates[0]?.blocks ?? [];
const last = (all: readonly NeutralEvent[]) => all.at(-1);
const own = { protocol: "generate-content", family: "gemini" };

test("large integers in a streamed call keep their digits", () => {
	const given = [chunk([call("f", { id: JSON.rawJSON("1234567890123456789") })], stop)];
	expect(blocksOf(folded(given))).toMatchObject([{ arguments: { text: '{"id":1234567890123456789}' } }]);
});

describe("how an answer of Gemini's ends", () => {
	test("H65 STOP with a call is tool_calls, also when the reason comes in a chunk of its own", () => {
		expect(folded([chunk([call("f")], stop)]).candidates[0]?.finish).toEqual({ reason: "tool_calls", raw: "STOP" });
		const alone = { candidates: [{ finishReason: "STOP", index: 0 }], modelVersion: "m", responseId: "r" };
		expect(folded([chunk([call("f")]), alone]).candidates[0]?.finish.reason).toBe("tool_calls");
		expect(folded([chunk([call("f")], { finishReason: "MAX_TOKENS" })]).candidates[0]?.finish.reason).toBe("length");
	});

	test("H66 a reason on every chunk ends the answer once, after the last", () => {
		const all = events([
			chunk([{ text: "a" }], stop),
			chunk([{ text: "b" }], stop),
			chunk([{ text: "c" }], { finishReason: "MAX_TOKENS" }),
		]);
		expect(all.filter(({ type }) => type === "finish")).toEqual([
			{ type: "finish", candidate: 0, finish: { reason: "length", raw: "MAX_TOKENS" } },
		]);
		expect(blocksOf(fold(all))).toEqual([{ type: "text", text: "abc" }]);
	});

	test.each([
		["MAX_TOKENS", "length"],
		["SAFETY", "safety"],
		["BLOCKLIST", "safety"],
		["PROHIBITED_CONTENT", "safety"],
		["SPII", "safety"],
		["IMAGE_SAFETY", "safety"],
		["LANGUAGE", "safety"],
		["PUP_LIMITED_DISABLED", "safety"],
		["CONTINUATION", "length"],
		["RECITATION", "recitation"],
		["MALFORMED_FUNCTION_CALL", "malformed_call"],
		["UNEXPECTED_TOOL_CALL", "malformed_call"],
		["TOO_MANY_TOOL_CALLS", "malformed_call"],
		["OTHER", "other"],
		["SOMETHING_NEW", "other"],
	] as const)("%s is %s", (raw, reason) =>
		expect(answer(chunk([{ text: "x" }], { finishReason: raw })).candidates[0]?.finish).toEqual({ reason, raw }),
	);

	test("a candidate whose number is none is known by its place", () => {
		for (const index of [Number.NEGATIVE_INFINITY, -1, 0.5, "1"])
			expect(answer(chunk([{ text: "x" }], { ...stop, index })).candidates.map((each) => each.index)).toEqual([0]);
	});

	test("H79 a malformed call says what was wrong", () => {
		const ended = {
			candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: f(", index: 0 }],
		};
		expect(folded([ended]).candidates).toEqual([
			{
				index: 0,
				blocks: [],
				finish: { reason: "malformed_call", raw: "MALFORMED_FUNCTION_CALL", message: "Malformed: f(" },
			},
		]);
	});

	test("H77 a blocked prompt is told as such and is a clean end", () => {
		const body = {
			promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "no" },
			usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
		};
		expect(answer(body)).toMatchObject({
			promptBlocked: { reason: "SAFETY", message: "no" },
			candidates: [],
			usage: { input: { total: 3 } },
		});
		expect(last(events([body]))).toEqual({ type: "end", clean: true });
	});

	test("a prompt that is only said to be blocked is blocked all the same", () => {
		const body = { candidates: [], promptFeedback: { blockReasonMessage: "no" }, modelVersion: "m" };
		expect(answer(body)).toMatchObject({ promptBlocked: { reason: "OTHER", message: "no" }, candidates: [] });
	});

	test("a whole answer without candidates and without a reason is a failure, as its stream is, and tells its cost", () => {
		const counts = { usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 }, modelVersion: "m" };
		for (const body of [counts, { ...counts, candidates: [] }, { ...counts, promptFeedback: {} }]) {
			expect(answer(body)).toMatchObject({ error: { kind: "upstream" }, usage: { input: { total: 3 } } });
			expect(last(events([body]))).toEqual({ type: "end", clean: false });
		}
	});

	test.each([
		{},
		{ content: {} },
		{ content: { role: "model" } },
		{ content: { parts: [] } },
		{ content: { parts: [{}] } },
	])("H78 a candidate with %p has no blocks", (content) =>
		expect(answer({ candidates: [{ ...content, finishReason: "STOP" }] }).candidates[0]?.blocks).toEqual([]),
	);

	test("a stream that stops without a reason, with nothing, or with an error does not end cleanly", () => {
		expect(last(events([chunk([{ text: "a" }])]))).toEqual({ type: "end", clean: false });
		expect(last(events([]))).toEqual({ type: "end", clean: false });
		const failed = events([chunk([{ text: "a" }]), { error: { code: 503, message: "busy", status: "UNAVAILABLE" } }]);
		expect(failed.at(-2)).toMatchObject({ type: "error", error: { kind: "overloaded" } });
		expect(last(failed)).toEqual({ type: "end", clean: false });
		expect(events([chunk([{ text: "a" }]), "{broken"]).at(-2)).toMatchObject({
			type: "error",
			error: { kind: "upstream" },
		});
	});

	test("what is no answer at all is a fault", () => {
		for (const body of [{ message: "hello" }, "text", 5, null])
			expect(() => generateContent.upstream.decodeResponse(body, answering())).toThrow(Fault);
	});

	test("a list of chunks in place of a stream is one answer, broken off when no reason was told", () => {
		const whole = answer([chunk([{ text: "a" }]), chunk([{ text: "b" }], stop)]);
		expect(blocksOf(whole)).toEqual([{ type: "text", text: "ab" }]);
		expect(
			generateContent.upstream.decodeResponse([chunk([{ text: "a" }]), chunk([{ text: "b" }])], answering()).error
				?.kind,
		).toBe("upstream");
	});
});

describe("blocks of an answer", () => {
	test("H67 calls in one chunk and in several are blocks of their own, each with an id of its own", () => {
		const read = folded([chunk([call("f", { a: 1 }), call("f", { a: 1 })]), chunk([call("g", { b: 2 })], stop)]);
		const calls = blocksOf(read).flatMap((block) => (block.type === "tool_call" ? [block] : []));
		expect(calls.map(({ name, arguments: { text } }) => [name, text])).toEqual([
			["f", '{"a":1}'],
			["f", '{"a":1}'],
			["g", '{"b":2}'],
		]);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
	});

	test("made ids are the same for the same answer and differ from one answer to the next", () => {
		const id = (responseId: string | undefined, messages = 1) => {
			const request = neutral({ messages: Array(messages).fill({ role: "user", blocks: [] }) });
			const [block] = blocksOf(answer({ ...chunk([call("f")], stop), responseId }, answering(request)));
			return block?.type === "tool_call" ? block.id : "";
		};
		expect(id("r1")).toBe(id("r1"));
		expect(id("r1")).not.toBe(id("r2"));
		expect(id(undefined, 1)).not.toBe(id(undefined, 3));
		expect(id("r1")).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
	});

	test("an id that Gemini gave is kept", () =>
		expect(blocksOf(answer(chunk([{ functionCall: { id: "abc", name: "f" } }], stop)))[0]).toMatchObject({
			id: "abc",
			arguments: { text: "{}" },
		}));

	test("H80 names come back as the client knows them, with namespace and kind", () => {
		const request = neutral({
			tools: [
				{ type: "function", name: "read", namespace: "files", schema: {} },
				{ type: "custom", name: "run it" },
			],
		});
		const names = new Map([["run_it", "run it"]]);
		const parts = [call("files__read", { p: 1 }), call("run_it", { input: "ls" })];
		expect(blocksOf(answer(chunk(parts, stop), answering(request, names)))).toMatchObject([
			{ name: "read", namespace: "files", kind: "function" },
			{ name: "run it", kind: "custom", arguments: { form: "text", text: "ls" } },
		]);
	});

	test("H84 a text goes on around the chunk that signs it, as it does in a whole answer", () => {
		const signed = (value: string) => ({ signature: { value, origin: own } });
		const thought = { type: "thinking", text: "hm", form: "summary" };
		const first = [chunk([{ text: "hm", thought: true }]), chunk([{ text: "a", thoughtSignature: "S1" }])];
		expect(blocksOf(folded([...first, chunk([{ text: "b" }]), chunk([{ text: "c" }], stop)]))).toMatchObject([
			thought,
			{ type: "text", text: "abc", ...signed("S1") },
		]);
		const last = [chunk([{ text: "a" }]), chunk([{ text: "b", thoughtSignature: "S1" }], stop)];
		expect(blocksOf(folded(last))).toEqual([{ type: "text", text: "ab", ...signed("S1") }]);
	});

	test("a second signature, or one of no text, begins a block", () => {
		const chunks = [
			chunk([{ text: "a" }]),
			chunk([{ text: "b", thoughtSignature: "S1" }]),
			chunk([{ text: "c", thoughtSignature: "S2" }]),
			chunk([{ text: "d" }]),
			chunk([{ text: "", thoughtSignature: "S3" }], stop),
		];
		expect(blocksOf(folded(chunks))).toEqual([
			{ type: "text", text: "ab", signature: { value: "S1", origin: own } },
			{ type: "text", text: "cd", signature: { value: "S2", origin: own } },
			{ type: "text", text: "", signature: { value: "S3", origin: own } },
		]);
	});

	test("what stands beside a text does not cut it for clients that have no place for it", () => {
		const beside = [{ inlineData: null, thought: false }, { partMetadata: { a: 1 } }, { newest: true }];
		for (const more of beside) {
			const chunks = ["a", "b", "c"].map((text) => chunk([{ text, ...more }]));
			expect(blocksOf(folded([...chunks, chunk([], stop)]))).toEqual([{ type: "text", text: "abc" }]);
		}
		const picture = { text: "", inlineData: { mimeType: "image/png", data: "AAAA" } };
		expect(blocksOf(folded([chunk([picture], stop)]))).toMatchObject([{ type: "image" }]);
	});

	test("H50 a call and a signature behind it keep their order and their own signatures", () => {
		const chunks = [
			chunk([call("f", {}, { thoughtSignature: "A" })]),
			chunk([{ text: "", thoughtSignature: "B" }], stop),
		];
		expect(blocksOf(folded(chunks))).toMatchObject([
			{ type: "tool_call", signature: { value: "A" } },
			{ type: "text", text: "", signature: { value: "B" } },
		]);
	});

	test("thoughts and text that take turns are blocks in turn", () => {
		const parts = [
			{ text: "h", thought: true },
			{ text: "m", thought: true },
			{ text: "a" },
			{ text: "n", thought: true },
			{ text: "b" },
		];
		const signature = { value: "unsigned", origin: { protocol: "generate-content", family: "gemini" } };
		const want = [
			{ type: "thinking", text: "hm", form: "summary", signature },
			{ type: "text", text: "a" },
			{ type: "thinking", text: "n", form: "summary", signature },
			{ type: "text", text: "b" },
		];
		expect(blocksOf(folded([...parts.map((part) => chunk([part])), chunk([], stop)]))).toEqual(want as never);
		expect(blocksOf(answer(chunk(parts, stop)))).toEqual(want as never);
	});

	test("arguments that come in pieces are put together, and told when they are whole", () => {
		const piece = (jsonPath: string, stringValue: string, more: Wire = {}) =>
			chunk([{ functionCall: { partialArgs: [{ jsonPath, stringValue, ...more }], willContinue: true } }]);
		const chunks = [
			chunk([{ functionCall: { name: "none" }, thoughtSignature: "S" }]),
			chunk([{ functionCall: { name: "f", willContinue: true } }]),
			piece("$.place.city", "Os", { willContinue: true }),
			piece("$.place.city", "lo"),
			piece("$.days[1]['long name']", "Tue"),
			chunk([
				{
					functionCall: {
						partialArgs: [
							{ jsonPath: "$.n", numberValue: 2 },
							{ jsonPath: "$.ok", boolValue: true },
							{ jsonPath: "$.__proto__.x", stringValue: "no" },
						],
						willContinue: true,
					},
				},
			]),
			chunk([{ functionCall: {} }]),
			chunk([{ functionCall: { name: "g", partialArgs: [{ jsonPath: "$.a", nullValue: "NULL_VALUE" }] } }], stop),
		];
		const read = blocksOf(folded(chunks)).map((block) =>
			block.type === "tool_call" ? [block.name, block.arguments] : [],
		);
		expect(read).toMatchObject([
			["none", { form: "json", value: {} }],
			["f", { value: { place: { city: "Oslo" }, days: [null, { "long name": "Tue" }], n: 2, ok: true } }],
			["g", { value: { a: null } }],
		]);
		expect(({} as Wire)["x"]).toBeUndefined();
	});

	test("code, its result and Google's own tools are server calls, kept whole for Google", () => {
		const parts = [
			{ executableCode: { language: "PYTHON", code: "1+1" } },
			{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
			{ toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["x"] } }, thoughtSignature: "S" },
			{ toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { n: 1 } }, thoughtSignature: "T" },
			{ hologram: { x: 1 } },
		];
		const blocks = blocksOf(answer(chunk(parts, stop)));
		expect(blocks).toMatchObject([
			{
				type: "server_call",
				tool: "code_execution",
				arguments: { code: "1+1", language: "python" },
				raw: { origin: own, value: parts[0] },
			},
			{ type: "server_result", tool: "code_execution", result: { output: "2" }, raw: { value: parts[1] } },
			{ type: "server_call", id: "t1", tool: "web_search", arguments: { queries: ["x"] }, signature: { value: "S" } },
			{ type: "server_result", callId: "t1", tool: "web_search", raw: { value: parts[3] } },
			{ type: "unknown", origin: own, raw: { hologram: { x: 1 } } },
		]);
		const [code, result] = blocks;
		expect(result?.type === "server_result" && result.callId).toBe(code?.type === "server_call" ? code.id : "");
		expect(answer(chunk(parts, stop)).candidates[0]?.finish.reason).toBe("stop");
	});

	test("pictures, also those of a thought, and sound", () => {
		const parts = [
			{ inlineData: { mimeType: "image/png", data: "AAAA" }, thought: true },
			{ inlineData: { mimeType: "image/png", data: "BBBB" }, thoughtSignature: "S" },
			{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "CCCC" } },
		];
		expect(blocksOf(answer(chunk(parts, stop)))).toMatchObject([
			{ type: "image", thought: true, media: { base64: "AAAA" } },
			{ type: "image", signature: { value: "S" } },
			{ type: "audio", media: { mime: "audio/L16;codec=pcm;rate=24000" } },
		]);
	});

	test("several candidates are told apart", () => {
		const two = {
			candidates: [
				{ index: 0, content: { parts: [{ text: "a" }] } },
				{ index: 1, content: { parts: [{ text: "b" }] } },
			],
		};
		const ended = {
			candidates: [
				{ index: 1, finishReason: "STOP" },
				{ index: 0, content: { parts: [{ text: "c" }] }, finishReason: "MAX_TOKENS" },
			],
		};
		expect(folded([two, ended]).candidates).toMatchObject([
			{ index: 0, blocks: [{ text: "ac" }], finish: { reason: "length" } },
			{ index: 1, blocks: [{ text: "b" }], finish: { reason: "stop" } },
		]);
	});

	test("logprobs belong to the text they are of", () => {
		const logprobsResult = {
			chosenCandidates: [{ token: "a", logProbability: -0.5, tokenId: 1 }],
			topCandidates: [
				{
					candidates: [
						{ token: "a", logProbability: -0.5 },
						{ token: "b", logProbability: -2 },
					],
				},
			],
		};
		expect(
			blocksOf(answer(chunk([{ text: "a", thoughtSignature: "S" }], { ...stop, logprobsResult })))[0],
		).toMatchObject({
			logprobs: [
				{
					token: "a",
					logprob: -0.5,
					top: [
						{ token: "a", logprob: -0.5 },
						{ token: "b", logprob: -2 },
					],
				},
			],
		});
	});
});

describe("usage", () => {
	const usageOf = (usageMetadata: Wire) => answer({ ...chunk([{ text: "x" }], stop), usageMetadata }).usage;

	test("H75 H92 thoughts are output and results of tools are input; cached input stays within it", () => {
		expect(
			usageOf({
				promptTokenCount: 100,
				cachedContentTokenCount: 75,
				toolUsePromptTokenCount: 20,
				candidatesTokenCount: 10,
				thoughtsTokenCount: 5,
				totalTokenCount: 135,
				promptTokensDetails: [
					{ modality: "TEXT", tokenCount: 60 },
					{ modality: "IMAGE", tokenCount: 40 },
				],
			}),
		).toMatchObject({
			input: { total: 120, cacheRead: 75, toolUse: 20, image: 40 },
			output: { total: 15, reasoning: 5 },
		});
	});

	test("what only this protocol tells of usage is told its own clients again", () => {
		const details = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];
		const told = {
			promptTokenCount: 100,
			candidatesTokenCount: 10,
			totalTokenCount: 135,
			cachedContentTokenCount: 75,
			toolUsePromptTokenCount: 20,
			thoughtsTokenCount: 5,
			promptTokensDetails: details(100),
			candidatesTokensDetails: details(10),
			cacheTokensDetails: details(75),
			toolUsePromptTokensDetails: details(20),
			trafficType: "ON_DEMAND",
		};
		const usage = usageOf(told);
		expect(usage && encodeUsage(usage)).toEqual(told);
	});

	test("H76 placeholders of zeros tell nothing, and the last true count stays", () => {
		const zeros = {
			usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0, trafficType: "X" },
		};
		const counted = { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 } };
		expect(
			folded([
				{ ...chunk([{ text: "a" }]), ...counted },
				{ ...chunk([], stop), ...zeros },
			]).usage,
		).toMatchObject({
			input: { total: 5 },
			output: { total: 2 },
		});
		expect(folded([{ ...chunk([{ text: "a" }], stop), ...zeros }]).usage).toBeUndefined();
	});

	test("counts that are no counts are not believed", () =>
		expect(usageOf({ promptTokenCount: -5, candidatesTokenCount: 2.5, totalTokenCount: 9 })).toMatchObject({
			input: { total: 0 },
			output: { total: 9 },
		}));
});

describe("H83 what a search found", () => {
	const text = "Grüße: 東京 is big. Oslo is small.";
	const groundingMetadata = {
		webSearchQueries: ["tokyo", "oslo"],
		searchEntryPoint: { renderedContent: "<b>" },
		groundingChunks: [
			{ web: { uri: "https://t.example", title: "T" } },
			{ web: { uri: "https://o.example", title: "O" } },
		],
		groundingSupports: [
			{ segment: { endIndex: 23, text: "Grüße: 東京 is big." }, groundingChunkIndices: [0, 1] },
			{ segment: { startIndex: 24, endIndex: 38, text: "Oslo is small." }, groundingChunkIndices: [1] },
		],
	};
	const spans = (read: NeutralResponse) =>
		blocksOf(read).flatMap((block) =>
			block.type === "text"
				? (block.citations ?? []).map(({ url, target }) => [url, target && block.text.slice(target.start, target.end)])
				: [],
		);
	const want = [
		["https://t.example", "Grüße: 東京 is big."],
		["https://o.example", "Grüße: 東京 is big."],
		["https://o.example", "Oslo is small."],
	];

	test("marks in bytes become citations with spans in the text", () => {
		const read = answer(chunk([{ text }], { ...stop, groundingMetadata }));
		expect(spans(read)).toEqual(want);
		expect(read.candidates[0]?.grounding).toMatchObject({
			queries: ["tokyo", "oslo"],
			sources: [
				{ url: "https://t.example", title: "T" },
				{ url: "https://o.example", title: "O" },
			],
			raw: { protocol: "generate-content", value: groundingMetadata },
		});
	});

	test("told with every chunk, before or after its text, it counts once", () => {
		const pieces = [text.slice(0, 5), text.slice(5, 20), text.slice(20)];
		const chunks = pieces.map((piece, at) => chunk([{ text: piece }], { groundingMetadata, ...(at === 2 && stop) }));
		expect(spans(folded(chunks))).toEqual(want);
		expect(events(chunks).filter(({ type }) => type === "grounding")).toHaveLength(1);
		const atEnd = [
			...pieces.map((piece) => chunk([{ text: piece }])),
			chunk([{ text: "", thoughtSignature: "S" }], { groundingMetadata, ...stop }),
		];
		expect(spans(folded(atEnd))).toEqual(want);
	});

	test("sources that come chunk by chunk are counted over all of them", () => {
		const first = { groundingChunks: [groundingMetadata.groundingChunks[0]] };
		const later = {
			groundingChunks: [groundingMetadata.groundingChunks[1]],
			groundingSupports: groundingMetadata.groundingSupports,
		};
		const chunks = [
			chunk([{ text: text.slice(0, 9) }], { groundingMetadata: first }),
			chunk([{ text: text.slice(9) }], { groundingMetadata: later, ...stop }),
		];
		expect(spans(folded(chunks))).toEqual(want);
	});

	test("where bytes and the quoted text disagree, the text is right", () => {
		const shifted = {
			...groundingMetadata,
			groundingSupports: [
				{ segment: { startIndex: 25, endIndex: 39, text: "Oslo is small." }, groundingChunkIndices: [1] },
			],
		};
		expect(spans(answer(chunk([{ text }], { ...stop, groundingMetadata: shifted })))).toEqual([
			["https://o.example", "Oslo is small."],
		]);
	});

	test("places and documents are sources too, and repeated passages are cited", () => {
		const metadata = {
			groundingChunks: [
				{ maps: { uri: "https://maps.example", title: "M" } },
				{ retrievedContext: { title: "D", text: "quoted", fileSearchStore: "s" } },
			],
			groundingSupports: [{ segment: { endIndex: 4, text: "Oslo" }, groundingChunkIndices: [0, 1] }],
		};
		const citationMetadata = { citationSources: [{ startIndex: 0, endIndex: 4, uri: "https://c.example" }] };
		const read = answer(chunk([{ text: "Oslo" }], { ...stop, groundingMetadata: metadata, citationMetadata }));
		expect(blocksOf(read)[0]).toMatchObject({
			citations: [
				{ kind: "map", url: "https://maps.example" },
				{ kind: "file", title: "D", quote: "quoted" },
				{ kind: "url", url: "https://c.example", target: { start: 0, end: 4 } },
			],
		});
	});
});

test("counts of countTokens are read", () => {
	expect(generateContent.upstream.decodeTokenCount?.({ totalTokens: 12 })).toBe(12);
	expect(generateContent.upstream.decodeTokenCount?.({ totalTokens: "x" })).toBeUndefined();
	expect(response([]).id).toBe("answer-1");
});
