import { describe, expect, test } from "bun:test";
import { isFault, type Message } from "#core";
import { bodyWith, neutralOf } from "../fixtures/ask.ts";

const png = "data:image/png;base64,iVBORw0KGgo=";
const messageOf = (message: unknown): Message => {
	const [first] = neutralOf(bodyWith({ messages: [message] })).messages;
	if (first === undefined) throw new Error("no message");
	return first;
};
const blocksOf = (message: unknown) => messageOf(message).blocks;
const part = (one: unknown) => blocksOf({ role: "user", content: [one] })[0];
const parameterOf = (body: unknown): string | undefined => {
	try {
		neutralOf(body);
	} catch (error) {
		if (isFault(error)) return error.denial.parameter;
		throw error;
	}
	return undefined;
};

describe("messages", () => {
	test("H106 keeps every system and developer message in its place", () => {
		const messages = [
			{ role: "system", content: "a" },
			{ role: "developer", content: [{ type: "text", text: "b" }] },
			{ role: "user", name: "ann", content: "c" },
			{ role: "system", content: "d" },
		];
		expect(neutralOf(bodyWith({ messages })).messages).toEqual([
			{ role: "system", blocks: [{ type: "text", text: "a" }] },
			{ role: "developer", blocks: [{ type: "text", text: "b" }] },
			{ role: "user", name: "ann", blocks: [{ type: "text", text: "c" }] },
			{ role: "system", blocks: [{ type: "text", text: "d" }] },
		]);
	});

	test("an assistant's message gives reasoning, text, refusal and calls in that order", () => {
		const said = blocksOf({
			role: "assistant",
			reasoning_content: "hm",
			content: "text",
			refusal: "no",
			tool_calls: [
				{ id: "c1", type: "function", function: { name: "f", arguments: '{"x":1}' } },
				{ id: "c2", type: "custom", custom: { name: "p", input: "free" } },
			],
		});
		expect(said).toEqual([
			{ type: "thinking", text: "hm", form: "full" },
			{ type: "text", text: "text" },
			{ type: "refusal", text: "no" },
			{
				type: "tool_call",
				id: "c1",
				name: "f",
				kind: "function",
				arguments: { form: "json", value: { x: 1 }, text: '{"x":1}' },
			},
			{ type: "tool_call", id: "c2", name: "p", kind: "custom", arguments: { form: "text", text: "free" } },
		]);
	});

	test("H22 empty arguments are no arguments, and broken ones are kept as they are", () => {
		const argumentsOf = (text: string) => {
			const [block] = blocksOf({
				role: "assistant",
				tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }],
			});
			return block?.type === "tool_call" ? block.arguments : undefined;
		};
		expect(argumentsOf("")).toEqual({ form: "json", value: {}, text: "{}" });
		expect(argumentsOf('{"a')).toEqual({ form: "invalid", text: '{"a' });
		expect(argumentsOf('{"n": 1.0}')).toMatchObject({ form: "json", text: '{"n": 1.0}' });
	});

	test("a tool's message is a result, of text or of parts", () => {
		expect(messageOf({ role: "tool", tool_call_id: "c1", content: "42" })).toEqual({
			role: "tool",
			blocks: [{ type: "tool_result", callId: "c1", content: [{ type: "text", text: "42" }] }],
		});
		const parts = [
			{ type: "text", text: "see" },
			{ type: "image_url", image_url: { url: png } },
		];
		const [result] = blocksOf({ role: "tool", tool_call_id: "c1", content: parts });
		expect(result).toMatchObject({ content: [{ type: "text" }, { type: "image", media: { mime: "image/png" } }] });
	});

	test("old calls without ids are answered in their order", () => {
		const { messages } = neutralOf(
			bodyWith({
				messages: [
					{ role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
					{ role: "function", name: "f", content: "1" },
					{ role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
					{ role: "function", name: "f", content: "2" },
				],
			}),
		);
		const ids = messages.flatMap(({ blocks }) =>
			blocks.map((block) => (block.type === "tool_call" ? block.id : block.type === "tool_result" ? block.callId : "")),
		);
		expect(ids[0]).toBe(ids[1] ?? "");
		expect(ids[2]).toBe(ids[3] ?? "");
		expect(ids[0]).not.toBe(ids[2] ?? "");
	});

	test("an assistant's sound is known by its id", () => {
		expect(blocksOf({ role: "assistant", audio: { id: "audio_1" } })).toMatchObject([
			{ type: "audio", id: "audio_1", media: { by: "file", id: "audio_1" } },
		]);
	});

	test("other fields of a message are kept for an upstream of this protocol", () => {
		expect(messageOf({ role: "assistant", content: "a", prefix: true }).extras).toEqual({
			"chat-completions": { prefix: true },
		});
	});
});

describe("parts of the content", () => {
	test("an image by address, by bytes and with its detail", () => {
		const url = "https://a.test/x.png";
		expect(part({ type: "image_url", image_url: { url, detail: "low" } })).toEqual({
			type: "image",
			media: { by: "url", url },
			detail: "low",
		});
		expect(part({ type: "image_url", image_url: png })).toEqual({
			type: "image",
			media: { by: "bytes", mime: "image/png", base64: "iVBORw0KGgo=" },
		});
	});

	test("H127 a data address without base64 is read too", () => {
		expect(part({ type: "image_url", image_url: { url: "data:image/svg+xml,%3Csvg%2F%3E" } })).toMatchObject({
			media: { by: "bytes", mime: "image/svg+xml", base64: Buffer.from("<svg/>").toString("base64") },
		});
	});

	test("H128 a PDF as a data address, as bare base64 and by its id", () => {
		const pdf = { by: "bytes", mime: "application/pdf", base64: "JVBERi0=" } as const;
		const file_data = "data:application/pdf;base64,JVBERi0=";
		expect(part({ type: "file", file: { filename: "a.pdf", file_data } })).toEqual({
			type: "document",
			media: pdf,
			filename: "a.pdf",
		});
		expect(part({ type: "file", file: { file_data: "JVBERi0=" } })).toMatchObject({ type: "document", media: pdf });
		expect(part({ type: "file", file: { file_id: "file-1" } })).toMatchObject({
			media: { by: "file", id: "file-1", origin: { protocol: "chat-completions", family: "gpt" } },
		});
	});

	test.each([
		["report.DOCX", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
		["a.xml", "application/xml"],
		["main.py", "text/plain"],
		["a.b.yaml", "text/plain"],
		["go", "application/pdf"],
		["a.unheard", "application/pdf"],
		["constructor", "application/pdf"],
	])("bare base64 is what the name says: %s", (filename, mime) => {
		expect(part({ type: "file", file: { filename, file_data: "AAAA" } })).toMatchObject({ media: { mime }, filename });
	});

	test("a file at an address stays at its address, whoever may fetch it", () => {
		for (const url of ["https://files.test/a.pdf", "gs://bucket/a.mp4", "s3://bucket/a.csv"])
			expect(part({ type: "file", file: { file_data: url } })).toMatchObject({ media: { by: "url", url } });
	});

	test("H93 a file is what its type says", () => {
		const typeOf = (mime: string) =>
			part({ type: "file", file: { filename: "x", file_data: `data:${mime};base64,AAAA` } })?.type;
		expect([typeOf("image/png"), typeOf("audio/wav"), typeOf("video/mp4"), typeOf("text/csv")]).toEqual([
			"image",
			"audio",
			"video",
			"document",
		]);
	});

	test("sound and film", () => {
		expect(part({ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } })).toEqual({
			type: "audio",
			media: { by: "bytes", mime: "audio/mpeg", base64: "AAAA" },
		});
		expect(part({ type: "video_url", video_url: { url: "https://a.test/x.mp4" } })).toEqual({
			type: "video",
			media: { by: "url", url: "https://a.test/x.mp4" },
		});
	});

	test("sound by its address, and bare base64 by the name or the kind of what it is", () => {
		expect(part({ type: "audio_url", audio_url: { url: "https://a.test/x.mp3" } })).toEqual({
			type: "audio",
			media: { by: "url", url: "https://a.test/x.mp3" },
		});
		const bare = { url: "AAAA" };
		expect(part({ type: "file_url", file_url: bare, file_name: "x.csv" })).toEqual({
			type: "document",
			media: { by: "bytes", mime: "text/csv", base64: "AAAA" },
			filename: "x.csv",
		});
		expect(part({ type: "file_url", file_url: bare })).toMatchObject({ media: { mime: "application/pdf" } });
		expect(part({ type: "video_url", video_url: bare })).toMatchObject({ media: { mime: "video/mp4" } });
	});

	test("H123 a mark of a cached prefix is a mark in either vendor's words", () => {
		const openai = { prompt_cache_breakpoint: { mode: "explicit" } };
		const claude = { cache_control: { type: "ephemeral", ttl: "1h" } };
		expect(part({ type: "text", text: "a", ...openai })).toMatchObject({
			cache: {},
			extras: { "chat-completions": openai },
		});
		expect(part({ type: "text", text: "a", ...claude })).toMatchObject({
			cache: { lifetime: "1h" },
			extras: { "chat-completions": claude },
		});
	});

	test("a type that only every object has is not known", () => {
		for (const type of ["__proto__", "constructor", "toString"]) {
			expect(part({ type }), type).toMatchObject({ type: "unknown", raw: { type } });
			expect(part({ type, text: "x" }), type).toMatchObject({ type: "text", text: "x" });
		}
	});

	test("what is not known is kept for an upstream of this protocol", () => {
		const odd = { type: "hologram", hologram: { depth: 3 } };
		expect(part(odd)).toEqual({
			type: "unknown",
			origin: { protocol: "chat-completions", family: "gpt" },
			raw: odd,
		});
	});

	const bad: readonly (readonly [unknown, string])[] = [
		[{ type: "image_url", image_url: { url: "file:///etc/passwd" } }, "messages[0].content[0].image_url.url"],
		[{ type: "image_url", image_url: { url: "data:image/png;base64,%%%" } }, "messages[0].content[0].image_url.url"],
		[{ type: "image_url" }, "messages[0].content[0].image_url"],
		[{ type: "input_audio", input_audio: {} }, "messages[0].content[0].input_audio.data"],
		[{ type: "input_audio", input_audio: { data: "%", format: "wav" } }, "messages[0].content[0].input_audio.data"],
		[{ type: "file", file: {} }, "messages[0].content[0].file.file_data"],
	];
	for (const [one, parameter] of bad)
		test(`${JSON.stringify(one)} is refused by its place`, () => {
			expect(parameterOf(bodyWith({ messages: [{ role: "user", content: [one] }] }))).toBe(parameter);
		});
});

describe("tools", () => {
	const toolsOf = (more: Record<string, unknown>) => neutralOf(bodyWith(more)).tools;

	test("functions, custom tools and unknown ones", () => {
		const parameters = { type: "object", properties: {} };
		const grammar = { syntax: "lark", definition: "start: A" };
		const odd = { type: "teleport", to: "x" };
		expect(
			toolsOf({
				tools: [
					{ type: "function", function: { name: "f", description: "d", parameters, strict: true } },
					{ type: "custom", custom: { name: "p", format: { type: "grammar", grammar } } },
					odd,
				],
			}),
		).toEqual([
			{ type: "function", name: "f", description: "d", schema: parameters, strict: true },
			{ type: "custom", name: "p", format: { type: "grammar", ...grammar } },
			{ type: "unknown", origin: { protocol: "chat-completions", family: "gpt" }, raw: odd },
		]);
	});

	test("functions in the oldest form, and without the inner object", () => {
		expect(toolsOf({ functions: [{ name: "f" }] })).toMatchObject([{ type: "function", name: "f" }]);
		expect(toolsOf({ tools: [{ type: "function", name: "f", parameters: { a: 1 } }] })).toMatchObject([
			{ name: "f", schema: { a: 1 } },
		]);
	});

	test("built-in search is a tool", () => {
		const web_search_options = {
			search_context_size: "low",
			user_location: { type: "approximate", approximate: { city: "Utrecht", country: "NL" } },
		};
		expect(toolsOf({ web_search_options })).toMatchObject([
			{
				type: "server",
				tool: "web_search",
				config: { contextSize: "low", userLocation: { city: "Utrecht", country: "NL" } },
			},
		]);
	});

	test("a tool without a name is refused by its place", () => {
		expect(parameterOf(bodyWith({ tools: [{ type: "function", function: {} }] }))).toBe("tools[0].function.name");
	});

	const choices: readonly (readonly [unknown, unknown])[] = [
		["auto", { mode: "auto" }],
		["none", { mode: "none" }],
		["required", { mode: "required" }],
		["any", { mode: "required" }],
		[
			{ type: "function", function: { name: "f" } },
			{ mode: "named", names: ["f"], force: true, kind: "function" },
		],
		[
			{ type: "custom", custom: { name: "p" } },
			{ mode: "named", names: ["p"], force: true, kind: "custom" },
		],
		[
			{
				type: "allowed_tools",
				allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }, { name: "g" }] },
			},
			{ mode: "named", names: ["f", "g"], force: false },
		],
	];
	for (const [given, neutral] of choices)
		test(`tool_choice ${JSON.stringify(given)}`, () => {
			expect(neutralOf(bodyWith({ tool_choice: given })).toolChoice).toEqual(neutral as never);
		});

	test("a list of tools that are allowed leaves the search on, which is an option and no tool", () => {
		const allowed = (mode: string) =>
			neutralOf(
				bodyWith({
					web_search_options: {},
					tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: [{ function: { name: "f" } }] } },
				}),
			).toolChoice;
		expect(allowed("auto")).toMatchObject({ names: ["f", "web_search"] });
		expect(allowed("required")).toMatchObject({ names: ["f"], force: true });
	});

	test("function_call of the oldest form is a choice", () => {
		expect(neutralOf(bodyWith({ function_call: { name: "f" } })).toolChoice).toMatchObject({
			names: ["f"],
			force: true,
		});
	});
});

describe("options", () => {
	test("every option has its place", () => {
		const body = bodyWith({
			max_tokens: 5,
			temperature: 0.5,
			top_p: 0.9,
			top_k: 3,
			presence_penalty: 1,
			frequency_penalty: -1,
			seed: 7,
			logit_bias: { 50: -100 },
			stop: "END",
			n: 2,
			logprobs: true,
			top_logprobs: 4,
			parallel_tool_calls: false,
			verbosity: "low",
			modalities: ["text", "audio"],
			audio: { voice: "alloy", format: "wav" },
			service_tier: "flex",
			user: "u",
			safety_identifier: "s",
			metadata: { a: "b" },
			prompt_cache_key: "k",
			prompt_cache_retention: "24h",
			store: true,
			stream_options: { include_usage: true },
			prediction: { type: "content", content: "x" },
		});
		expect(neutralOf(body)).toEqual({
			protocol: "chat-completions",
			model: "gpt-4o",
			stream: false,
			messages: [{ role: "user", blocks: [{ type: "text", text: "Hello" }] }],
			maxOutputTokens: 5,
			sampling: {
				temperature: 0.5,
				topP: 0.9,
				topK: 3,
				presencePenalty: 1,
				frequencyPenalty: -1,
				seed: 7,
				logitBias: { 50: -100 },
			},
			stop: ["END"],
			candidates: 2,
			logprobs: { enabled: true, top: 4 },
			parallelTools: false,
			verbosity: "low",
			modalities: ["text", "audio"],
			audio: { voice: "alloy", format: "wav" },
			tier: "flex",
			identity: { user: "u", safetyId: "s", metadata: { a: "b" } },
			cacheKey: "k",
			cacheRetention: "24h",
			state: { store: true },
			includeUsage: true,
			extras: { "chat-completions": { prediction: { type: "content", content: "x" }, store: true } },
			raw: body,
		});
	});

	test("H113 max_completion_tokens wins over the older field", () => {
		expect(neutralOf(bodyWith({ max_tokens: 5, max_completion_tokens: 9 })).maxOutputTokens).toBe(9);
	});

	test("H112 stop is a list, however it was given", () => {
		expect(neutralOf(bodyWith({ stop: ["a", "b"] })).stop).toEqual(["a", "b"]);
		expect(neutralOf(bodyWith({ stop: null })).stop).toBeUndefined();
	});

	test("H118 the form of the answer", () => {
		const formatOf = (response_format: unknown) => neutralOf(bodyWith({ response_format })).format;
		expect(formatOf({ type: "json_object" })).toEqual({ type: "json" });
		expect(formatOf({ type: "text" })).toEqual({ type: "text" });
		const json_schema = { name: "n", description: "d", schema: { type: "object" }, strict: true };
		expect(formatOf({ type: "json_schema", json_schema })).toEqual({
			type: "schema",
			...json_schema,
		});
	});

	const reasonings: readonly (readonly [Record<string, unknown>, unknown])[] = [
		[{}, undefined],
		[{ reasoning_effort: "high" }, { mode: "on", effort: "high" }],
		[{ reasoning_effort: "none" }, { mode: "off" }],
		[{ reasoning_effort: "default" }, undefined],
		[{ reasoning: { effort: "low" } }, { mode: "on", effort: "low", expose: "full" }],
		[{ reasoning: { max_tokens: 2000, exclude: true } }, { mode: "on", budget: 2000, expose: "none" }],
		[{ reasoning: { enabled: true } }, { mode: "auto", expose: "full" }],
		[{ reasoning: { enabled: false } }, { mode: "off" }],
		[{ thinking: { type: "disabled" } }, { mode: "off" }],
		[{ thinking: { type: "enabled", budget_tokens: 3000 } }, { mode: "on", budget: 3000, expose: "full" }],
		[{ enable_thinking: false }, { mode: "off" }],
		[
			{ enable_thinking: true, thinking_budget: 100 },
			{ mode: "on", budget: 100, expose: "full" },
		],
	];
	for (const [given, neutral] of reasonings)
		test(`${JSON.stringify(given)} is ${JSON.stringify(neutral)}`, () => {
			expect(neutralOf(bodyWith(given)).reasoning).toEqual(neutral as never);
		});
});

describe("opaque values that a client gives back", () => {
	test("H102 carried reasoning is what it was", () => {
		const said = blocksOf({
			role: "assistant",
			content: "x",
			reasoning_content: "hm",
			reasoning_details: [
				{ type: "reasoning.text", text: "hm", signature: "portico.messages.claude.SIG.1", index: 0 },
				{ type: "reasoning.encrypted", data: "portico.responses.gpt.ENC", index: 1 },
			],
		});
		expect(said).toEqual([
			{
				type: "thinking",
				text: "hm",
				form: "full",
				signature: { value: "SIG.1", origin: { protocol: "messages", family: "claude" } },
			},
			{ type: "opaque_thinking", data: { value: "ENC", origin: { protocol: "responses", family: "gpt" } } },
			{ type: "text", text: "x" },
		]);
	});

	test("an entry that a stream told twice is one", () => {
		const entry = { type: "reasoning.text", text: "hm", signature: "portico.messages.claude.SIG", index: 0 };
		const reasoning_details = [entry, { ...entry, index: 1 }];
		expect(blocksOf({ role: "assistant", content: "x", reasoning_details })).toMatchObject([
			{ type: "thinking", text: "hm", signature: { value: "SIG" } },
			{ type: "text", text: "x" },
		]);
	});

	test("H68 a signature at a call is Gemini's, or what was carried there", () => {
		const signatureOf = (thought_signature: string) => {
			const call = {
				id: "c",
				type: "function",
				function: { name: "f", arguments: "{}" },
				extra_content: { google: { thought_signature } },
			};
			const [block] = blocksOf({ role: "assistant", tool_calls: [call] });
			return block?.type === "tool_call" ? block.signature : undefined;
		};
		expect(signatureOf("S")).toEqual({ value: "S", origin: { protocol: "generate-content", family: "gemini" } });
		expect(signatureOf("portico.messages.claude.S")).toEqual({
			value: "S",
			origin: { protocol: "messages", family: "claude" },
		});
	});
});
