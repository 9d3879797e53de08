import { describe, expect, test } from "bun:test";
import { Fault, type NeutralRequest, placeOf } from "#core";
import { askOf, decoded } from "../fixtures/asks.ts";
import { generateContent } from "../protocol.ts";

const raw = (body: object): NeutralRequest => generateContent.client.decodeRequest(askOf(body));
const user = (...blocks: object[]) => ({ role: "user", blocks });
const assistant = (...blocks: object[]) => ({ role: "assistant", blocks });
const say = (text: string) => ({ type: "text", text });

describe("contents in every form clients send", () => {
	test.each([
		["a string", "Hi"],
		["a list of strings", ["Hi"]],
		["a part", { text: "Hi" }],
		["a list of parts", [{ text: "Hi" }]],
		["one content", { parts: [{ text: "Hi" }] }],
		["a content whose parts are one part", [{ role: "user", parts: { text: "Hi" } }]],
		["a content whose parts are a string", [{ role: "user", parts: "Hi" }]],
	])("%s", (_, contents) => expect(decoded({ contents }).messages).toEqual([user(say("Hi"))] as never));

	test("strings and parts side by side are one content of the user's", () => {
		const { messages } = decoded({ contents: ["Look:", { inlineData: { mimeType: "image/png", data: "iVBO" } }] });
		expect(messages).toEqual([
			user(say("Look:"), { type: "image", media: { by: "bytes", mime: "image/png", base64: "iVBO" } }),
		] as never);
	});

	test("a role nobody knows is refused by its place", () => {
		const body = { contents: [{ role: "wizard", parts: [{ text: "Hi" }] }] };
		expect(() => raw(body)).toThrow(Fault);
		expect(() => raw(body)).toThrow('The field `contents[0].role` is "wizard"');
	});
});

describe("requests of Gemini clients", () => {
	test("large integers in calls and results keep their digits", () => {
		const id = JSON.rawJSON("1234567890123456789");
		const contents = [
			{ role: "model", parts: [{ functionCall: { name: "f", args: { id } } }] },
			{ role: "user", parts: [{ functionResponse: { name: "f", response: { next: id } } }] },
		];
		const [called, answered] = raw({ contents }).messages;
		expect(called?.blocks).toMatchObject([{ arguments: { text: '{"id":1234567890123456789}' } }]);
		expect(answered?.blocks).toMatchObject([{ content: [{ text: '{"next":1234567890123456789}' }] }]);
	});

	test("functions that may be called leave Google's own tools in use", () => {
		const functionDeclarations = [{ name: "f" }, { name: "g" }];
		const calling = (mode: string) => ({ functionCallingConfig: { mode, allowedFunctionNames: ["f"] } });
		const asked = (mode: string, ...more: object[]) =>
			decoded({ contents: "Hi", tools: [{ functionDeclarations }, ...more], toolConfig: calling(mode) });
		const beside = asked("VALIDATED", { googleSearch: {} });
		expect(beside.toolChoice).toEqual({ mode: "named", names: ["f", "googleSearch"], force: false });
		expect(beside.tools).toMatchObject([{ name: "f" }, { name: "g" }, { tool: "web_search" }]);
		const named = { mode: "named", names: ["f"] } as const;
		expect(asked("VALIDATED").toolChoice).toMatchObject({ ...named, force: false });
		expect(asked("ANY", { googleSearch: {} }).toolChoice).toMatchObject({ ...named, force: true });
	});

	test("enums may be numbers, as Google's older SDKs send them", () => {
		const parameters = { type: 6, properties: { city: { type: 1 }, days: { type: 5, items: { type: 3 } } } };
		const run = { executableCode: { language: 1, code: "1" } };
		const body = {
			contents: [{ role: "model", parts: [run, { codeExecutionResult: { outcome: 1, output: "1" } }] }],
			generationConfig: { responseModalities: [1, 2] },
			tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
			toolConfig: { functionCallingConfig: { mode: 2, allowedFunctionNames: ["f"] } },
		};
		const { messages, ...asked } = decoded(body);
		expect(asked).toMatchObject({
			modalities: ["text", "image"],
			toolChoice: { mode: "named", names: ["f"], force: true },
			tools: [
				{
					schema: {
						type: "object",
						properties: { city: { type: "string" }, days: { type: "array", items: { type: "integer" } } },
					},
				},
			],
		});
		const [ran, gave] = messages[0]?.blocks ?? [];
		expect(ran).toMatchObject({ arguments: { code: "1", language: "python" } });
		expect(gave).not.toHaveProperty("isError");
	});

	test("H85 fields spelled with underscores mean the same", () => {
		const body = {
			system_instruction: { parts: [{ text: "Be brief." }] },
			contents: [{ role: "user", parts: [{ inline_data: { mime_type: "image/jpeg", data: "AAAA" } }, { text: "?" }] }],
			generation_config: {
				max_output_tokens: 20,
				top_p: 0.5,
				stop_sequences: ["END"],
				response_mime_type: "application/json",
				response_schema: { type: "OBJECT", properties: { n: { type: "INTEGER", nullable: true } } },
				thinking_config: { thinking_budget: 100, include_thoughts: true },
			},
			tools: [{ function_declarations: [{ name: "f", parameters_json_schema: { type: "object" } }] }],
			tool_config: { function_calling_config: { mode: "any", allowed_function_names: ["f"] } },
		};
		expect(decoded(body)).toMatchObject({
			messages: [
				{ role: "system", blocks: [say("Be brief.")] },
				user({ type: "image", media: { by: "bytes", mime: "image/jpeg", base64: "AAAA" } }, say("?")),
			],
			maxOutputTokens: 20,
			sampling: { topP: 0.5 },
			stop: ["END"],
			format: { type: "schema", schema: { properties: { n: { type: ["integer", "null"] } } } },
			reasoning: { mode: "on", budget: 100, expose: "full" },
			tools: [{ type: "function", name: "f", schema: { type: "object" } }],
			toolChoice: { mode: "named", names: ["f"], force: true },
		} as never);
	});

	test("H86 thoughts in the history are thinking, not text", () => {
		const { messages } = decoded({
			contents: [
				{ role: "user", parts: [{ text: "Hi" }] },
				{ role: "model", parts: [{ text: "Let me see.", thought: true }, { text: "Hello" }] },
				{ role: "user", parts: [{ text: "Go on" }] },
			],
		});
		expect(messages[1]).toEqual(
			assistant({ type: "thinking", text: "Let me see.", form: "summary" }, say("Hello")) as never,
		);
	});

	test("H72 a result in the role of a function or tool answers its call", () => {
		for (const role of ["function", "tool", "user"]) {
			const { messages } = decoded({
				contents: [
					{ role: "user", parts: [{ text: "Weather?" }] },
					{ role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } } }] },
					{ role, parts: [{ functionResponse: { name: "weather", response: { output: "cold" } } }] },
				],
			});
			expect(messages[2]).toMatchObject({
				role: "tool",
				blocks: [{ type: "tool_result", name: "weather", content: [say("cold")] }],
			} as never);
		}
	});

	const call = (name: string, id?: string) => ({ functionCall: { name, args: { q: id ?? name }, ...(id && { id }) } });
	const result = (name: string, output: string, id?: string) => ({
		functionResponse: { name, response: { output }, ...(id && { id }) },
	});
	const turns = (calls: object[], results: object[]) => ({
		contents: [
			{ role: "user", parts: [{ text: "Go" }] },
			{ role: "model", parts: calls },
			{ role: "user", parts: results },
		],
	});
	const pairs = (request: NeutralRequest) => {
		const given = request.messages.flatMap(({ blocks }) => blocks);
		return given.flatMap((block) => {
			if (block.type !== "tool_result") return [];
			const answered = given.find((other) => other.type === "tool_call" && other.id === block.callId);
			const said = block.content[0];
			return [[answered?.type === "tool_call" ? answered.arguments.text : "", said?.type === "text" ? said.text : ""]];
		});
	};

	test("H81 results of calls of one name are matched in order, and by id when they have one", () => {
		expect(
			pairs(decoded(turns([call("f", "a"), call("f", "b")], [result("f", "B", "b"), result("f", "A", "a")]))),
		).toEqual([
			['{"q":"a"}', "A"],
			['{"q":"b"}', "B"],
		]);
		const unnamed = [
			{ functionCall: { name: "f", args: { q: 1 } } },
			{ functionCall: { name: "g", args: { q: 2 } } },
			{ functionCall: { name: "f", args: { q: 3 } } },
		];
		expect(pairs(decoded(turns(unnamed, [result("g", "G"), result("f", "F1"), result("f", "F3")])))).toEqual([
			['{"q":1}', "F1"],
			['{"q":2}', "G"],
			['{"q":3}', "F3"],
		]);
	});

	test.each([
		[{ output: "cold" }, "cold"],
		[{ return_value: "cold" }, "cold"],
		[{ value: "cold" }, "cold"],
		[{ name: "f", content: "cold" }, "cold"],
		[{ name: "f", content: { degrees: 3 } }, '{"degrees":3}'],
		[{ name: "f", content: [{ text: "cold" }, { text: "wet" }] }, "cold\nwet"],
		[{ name: "f", content: [1, 2] }, "[1,2]"],
		[{ name: "Ann", content: "cold" }, '{"name":"Ann","content":"cold"}'],
		[{ output: "cold", wind: 2 }, '{"output":"cold","wind":2}'],
	])("a result is what stands in the object that libraries put around it: %p", (response, text) => {
		const results = [{ functionResponse: { name: "f", response } }];
		expect(pairs(decoded(turns([call("f")], results)))).toEqual([['{"q":"f"}', text]]);
		const [block] = decoded(turns([call("f")], results)).messages[2]?.blocks ?? [];
		expect(block).toMatchObject({ structured: response } as never);
	});

	test("H90 an id on the call alone still finds the result that has none", () => {
		expect(pairs(decoded(turns([call("f", "a")], [result("f", "A")])))).toEqual([['{"q":"a"}', "A"]]);
	});

	test("H94 calls without ids get the same ids whenever the history is sent again, and different ones", () => {
		const calls = [call("f"), call("f"), call("g")];
		const ids = (body: object) =>
			raw(body).messages.flatMap(({ blocks }) =>
				blocks.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
			);
		const first = ids(turns(calls, []));
		const longer = turns(calls, [result("f", "1"), result("f", "2"), result("g", "3")]);
		longer.contents.push({ role: "user", parts: [{ text: "And now?" }] as never });
		expect(ids(longer)).toEqual(first);
		expect(new Set(first).size).toBe(3);
		expect(first.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
	});

	test("H93 bytes of every kind become what they are, not an image", () => {
		const kinds = ["image/png", "audio/wav", "video/mp4", "application/pdf", "text/plain"].map((mimeType) => ({
			inlineData: { mimeType, data: "AAAA" },
		}));
		const { messages } = decoded({ contents: [{ parts: kinds }] });
		expect(messages[0]?.blocks.map(({ type }) => type)).toEqual(["image", "audio", "video", "document", "document"]);
	});

	test("bytes in the alphabet for addresses, as Google's Python library writes them, come out in the ordinary one", () => {
		const { messages } = decoded({ contents: [{ parts: [{ inlineData: { mimeType: "image/jpg", data: "_-8" } }] }] });
		expect(messages[0]?.blocks[0]).toMatchObject({
			media: { by: "bytes", mime: "image/jpeg", base64: "/+8=" },
		} as never);
	});

	test("H128 files of Google's own stay with Google, other addresses are for everyone", () => {
		const own = "https://generativelanguage.googleapis.com/v1beta/files/abc";
		const parts = [
			{ fileData: { fileUri: own, mimeType: "application/pdf" } },
			{ fileData: { fileUri: "https://example.org/cat.png" } },
			{ fileData: { fileUri: "https://youtu.be/xyz" } },
		];
		expect(decoded({ contents: [{ parts }] }).messages[0]?.blocks).toMatchObject([
			{ type: "document", media: { by: "file", id: own, origin: { protocol: "generate-content" } } },
			{ type: "image", media: { by: "url", url: "https://example.org/cat.png", mime: "image/png" } },
			{ type: "video", media: { by: "url", url: "https://youtu.be/xyz" } },
		] as never);
	});

	test("reasoning of another maker comes back from a recorded stream, chunk by chunk", () => {
		const origin = { protocol: "messages", family: "claude" };
		const opaque = { value: "c2ln", origin };
		const contents = [
			{ role: "user", parts: [{ text: "Hi" }] },
			{ role: "model", parts: [{ text: "Let ", thought: true }] },
			{
				role: "model",
				parts: [{ text: "me see", thought: true, thoughtSignature: btoa("portico.messages.claude.c2ln") }],
			},
			{ role: "model", parts: [{ text: "", thought: true, thoughtSignature: btoa("portico.messages.claude.~cmVk") }] },
			{ role: "model", parts: [{ text: "Hel" }] },
			{ role: "model", parts: [{ text: "lo" }] },
			{ role: "user", parts: [{ text: "?" }] },
		];
		expect(decoded({ contents }).messages[1]).toEqual(
			assistant(
				{ type: "thinking", text: "Let me see", form: "summary", signature: opaque },
				{ type: "opaque_thinking", data: { value: "cmVk", origin } },
				say("Hello"),
			) as never,
		);
	});

	test("a thought whose seal its client moved to the words behind it, as LiteLLM does, comes back with its text", () => {
		const signature = { value: "c2ln", origin: { protocol: "messages", family: "claude" } };
		const seal = btoa("portico.messages.claude.c2ln");
		const parts = [
			{ text: "Let me see", thought: true },
			{ text: "Hello", thoughtSignature: seal },
			{
				functionCall: { id: "c1", name: "f", args: {} },
				thoughtSignature: btoa("portico.messages.claude.=0,10:Let me seec2ln"),
			},
		];
		const blocks = decoded(turns(parts, [])).messages[1]?.blocks;
		expect(blocks).toMatchObject([
			{ type: "thinking", text: "Let me see", signature },
			say("Hello"),
			{ type: "tool_call", id: "c1" },
		] as never);
		expect(blocks?.map((block) => placeOf(block))).toEqual([1, 1, 2].map((at) => `contents[1].parts[${at}]`));
	});

	test.each([
		["its text alone", [{ text: "Let me see", thought: true }, { text: "Hello" }]],
		["its seal alone (Agno)", [{ text: "Hello", thoughtSignature: btoa("portico.messages.claude.c2ln") }]],
		["nothing of it", [{ text: "Hello" }]],
	])("a thought of which its client brings back %s is whole by the call behind it", (_half, before) => {
		const signature = { value: "c2ln", origin: { protocol: "messages", family: "claude" } };
		const parts = [
			...before,
			{
				functionCall: { id: "c1", name: "f", args: {} },
				thoughtSignature: btoa("portico.messages.claude.=0,10:Let me seec2ln"),
			},
		];
		expect(decoded(turns(parts, [])).messages[1]?.blocks).toMatchObject([
			{ type: "thinking", text: "Let me see", signature },
			say("Hello"),
			{ type: "tool_call", id: "c1" },
		] as never);
	});

	test.each(["+/", "-_"])(
		"SDKs of typed languages replay bytes in an alphabet of theirs (%s)",
		([plus = "", slash = ""]) => {
			const value = "a~~???>>>";
			const base64 = btoa(`portico.messages.claude.${value}`).replaceAll("+", plus).replaceAll("/", slash);
			expect(base64).toContain(slash);
			const blocks = decoded(turns([{ text: "Hm", thought: true, thoughtSignature: base64 }], [])).messages[1]?.blocks;
			expect(blocks).toMatchObject([
				{ signature: { value, origin: { protocol: "messages", family: "claude" } } },
			] as never);
		},
	);

	test("bytes that only look like a marked value are Gemini's own", () => {
		const blocks = decoded(turns([{ text: "Hm", thought: true, thoughtSignature: "cG9ydGljby5*" }], [])).messages[1]
			?.blocks;
		expect(blocks).toMatchObject([
			{ signature: { value: "cG9ydGljby5*", origin: { protocol: "generate-content", family: "gemini" } } },
		] as never);
	});

	test("Gemini's own signatures stay on their part, and a word in place of one is none", () => {
		const model = [
			{ text: "Looking.", thoughtSignature: "AAA=" },
			{ functionCall: { name: "f", args: {} }, thoughtSignature: "BBB=" },
			{ functionCall: { name: "f", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
		];
		const blocks = raw(turns(model, [])).messages[1]?.blocks;
		const own = { protocol: "generate-content", family: "gemini" };
		expect(blocks).toMatchObject([
			{ type: "text", signature: { value: "AAA=", origin: own } },
			{ type: "tool_call", signature: { value: "BBB=", origin: own } },
			{ type: "tool_call" },
		] as never);
		expect(blocks?.[2]).not.toHaveProperty("signature");
	});

	test("results keep their JSON, their media and their failure", () => {
		const results = [
			{
				functionResponse: {
					name: "f",
					response: { temperature: 20 },
					parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
				},
			},
			{ functionResponse: { name: "g", response: { error: "no such city" } } },
		];
		const { messages } = decoded(turns([call("f"), call("g")], results));
		expect(messages[2]?.blocks).toMatchObject([
			{ structured: { temperature: 20 }, content: [say('{"temperature":20}'), { type: "image" }] },
			{ isError: true, content: [say("no such city")] },
		] as never);
	});

	test("tools of Google's own are server tools, and what is unknown is kept", () => {
		const tools = [
			{ googleSearch: { excludeDomains: ["a.example"] } },
			{ codeExecution: {} },
			{ urlContext: {} },
			{ teleport: { to: 1 } },
		];
		expect(decoded({ contents: "Hi", tools }).tools).toMatchObject([
			{ type: "server", tool: "web_search", vendorType: "googleSearch", config: { blockedDomains: ["a.example"] } },
			{ type: "server", tool: "code_execution" },
			{ type: "server", tool: "web_fetch" },
			{ type: "unknown", raw: { teleport: { to: 1 } } },
		] as never);
	});

	test.each([
		["AUTO", undefined, { mode: "auto" }],
		["NONE", undefined, { mode: "none" }],
		["ANY", undefined, { mode: "required" }],
		["ANY", ["f"], { mode: "named", names: ["f"], force: true, kind: "function" }],
		["VALIDATED", ["f"], { mode: "named", names: ["f"], force: false, kind: "function" }],
		["VALIDATED", undefined, { mode: "auto" }],
	])("mode %s with names %p", (mode, allowedFunctionNames, choice) => {
		const tools = [{ functionDeclarations: [{ name: "f" }] }];
		const toolConfig = { functionCallingConfig: { mode, ...(allowedFunctionNames && { allowedFunctionNames }) } };
		expect(decoded({ contents: "Hi", tools, toolConfig }).toolChoice).toEqual(choice as never);
	});

	test("calls that are validated keep to the schemas of their functions", () => {
		const tools = [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }];
		const asked = (mode: string) => decoded({ contents: "Hi", tools, toolConfig: { functionCallingConfig: { mode } } });
		expect(asked("VALIDATED").tools).toMatchObject([{ name: "f", strict: true }, { tool: "web_search" }]);
		expect(asked("VALIDATED").extras).toBeUndefined();
		expect(asked("AUTO").tools?.[0]).not.toHaveProperty("strict");
	});

	test.each([
		[{ thinkingBudget: 0 }, { mode: "off" }],
		[{ thinkingBudget: -1 }, { mode: "auto" }],
		[
			{ thinkingBudget: 512, includeThoughts: false },
			{ mode: "on", budget: 512, expose: "none" },
		],
		[
			{ thinkingLevel: "low", includeThoughts: true },
			{ mode: "on", effort: "low", expose: "full" },
		],
		[{ thinkingLevel: "XHIGH" }, { mode: "on", effort: "xhigh" }],
		[{ includeThoughts: true }, { mode: "auto", expose: "full" }],
	])("thinkingConfig %p", (thinkingConfig, reasoning) =>
		expect(decoded({ contents: "Hi", generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning as never),
	);

	test("the other settings are read, and what only Gemini knows is kept in its own bag", () => {
		const request = decoded({
			contents: "Hi",
			generationConfig: {
				topK: 40,
				seed: 7,
				presencePenalty: 0.1,
				frequencyPenalty: 0.2,
				candidateCount: 2,
				responseLogprobs: true,
				logprobs: 3,
				responseModalities: ["TEXT", "IMAGE"],
				responseMimeType: "text/x.enum",
				responseSchema: { type: "STRING", enum: ["a", "b"] },
				mediaResolution: "MEDIA_RESOLUTION_LOW",
			},
			safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
			cachedContent: "cachedContents/1",
			labels: { team: "x" },
			serviceTier: "flex",
		});
		expect(request).toMatchObject({
			sampling: { topK: 40, seed: 7, presencePenalty: 0.1, frequencyPenalty: 0.2 },
			candidates: 2,
			logprobs: { enabled: true, top: 3 },
			modalities: ["text", "image"],
			format: { type: "enum", values: ["a", "b"] },
			safety: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
			tier: "flex",
		} as never);
		expect(request.extras).toEqual({
			"generate-content": {
				cachedContent: "cachedContents/1",
				labels: { team: "x" },
				generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW" },
			},
		});
	});

	test("a response format in the newer form is read, and what it says of other media is kept", () => {
		const schema = { type: "object", properties: { a: { type: "string" } } };
		const responseFormat = { text: { mimeType: "APPLICATION_JSON", schema }, image: { imageSize: "IMAGE_SIZE_ONE_K" } };
		const request = decoded({ contents: "Hi", generationConfig: { responseFormat } });
		expect(request.format).toEqual({ type: "schema", schema, strict: true });
		expect(request.extras).toEqual({
			"generate-content": { generationConfig: { responseFormat: { image: { imageSize: "IMAGE_SIZE_ONE_K" } } } },
		});
	});

	test("a response format may be a list, whose types are those of files", () => {
		const schema = { type: "object", properties: { a: { type: "string" } } };
		const decodedFormat = (...responseFormat: readonly object[]) =>
			decoded({ contents: "Hi", generationConfig: { responseFormat } });
		const request = decodedFormat({ text: { mimeType: "application/json", schema } }, { video: { fps: 1 } });
		expect(request.format).toEqual({ type: "schema", schema, strict: true });
		expect(request.extras).toEqual({
			"generate-content": { generationConfig: { responseFormat: { video: { fps: 1 } } } },
		});
		expect(decodedFormat({ text: { mimeType: "application/json" } }).format).toEqual({ type: "json" });
	});

	test("a request to be counted may stand in a field of its own", () => {
		const inner = {
			model: "models/x",
			contents: [{ role: "user", parts: [{ text: "Hi" }] }],
			systemInstruction: "Be brief.",
		};
		const ask = askOf({ generateContentRequest: inner }, "x:countTokens");
		expect(generateContent.client.decodeRequest(ask).messages.map(({ role }) => role)).toEqual(["system", "user"]);
	});
});
