import { describe, expect, test } from "bun:test";
import type { Block, Message, NeutralRequest, ToolCallBlock, ToolResultBlock } from "#core";
import { argumentsObject } from "../encode-part.ts";
import { decoded, encoded, neutral, target } from "../fixtures/asks.ts";

const claude = { protocol: "messages", family: "claude" };
const gemini = { protocol: "generate-content", family: "gemini" };
const say = (text: string): Block => ({ type: "text", text });
const user = (...blocks: Block[]): Message => ({ role: "user", blocks });
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const call = (id: string, name = "f", more: Partial<ToolCallBlock> = {}): ToolCallBlock => ({
	type: "tool_call",
	id,
	name,
	kind: "function",
	arguments: { form: "json", value: { id }, text: JSON.stringify({ id }) },
	...more,
});
const result = (callId: string, ...content: Block[]): ToolResultBlock => ({ type: "tool_result", callId, content });
const conversation = (...messages: Message[]): NeutralRequest => neutral({ messages });
const image: Block = { type: "image", media: { by: "bytes", mime: "image/png", base64: "AAAA" } };
const fn = (name: string, schema: unknown = { type: "object", properties: {} }) =>
	({ type: "function", name, schema }) as const;

describe("conversations for Gemini", () => {
	test("a user who said nothing is asked to go on, for contents cannot be empty", () => {
		for (const messages of [[], [user()], [user(say(""))]])
			expect(encoded(neutral({ messages })).body.contents).toEqual([{ role: "user", parts: [{ text: "Continue." }] }]);
	});

	test("large integers keep their digits, in arguments and in a result that was JSON", () => {
		const text = '{"id": 1234567890123456789}';
		const given = { form: "json", value: JSON.parse(text), text } as const;
		expect(JSON.stringify(argumentsObject(given))).toBe('{"id":1234567890123456789}');
		const { body } = encoded(
			conversation(user(say("Hi")), assistant(call("a")), { role: "tool", blocks: [result("a", say(text))] }),
		);
		expect(body.contents[2].parts[0].functionResponse.response).toEqual({ output: text });
	});

	test("several system messages become parts of one instruction, later ones stay in their place, marked", () => {
		const { body } = encoded(
			conversation(
				{ role: "system", blocks: [say("One.")] },
				{ role: "developer", blocks: [say("Two.")] },
				user(say("Hi")),
				assistant(say("Hello")),
				{ role: "system", blocks: [say("Three.")] },
				user(say("Go on")),
			),
		);
		expect(body.systemInstruction).toEqual({ parts: [{ text: "One." }, { text: "Two." }] });
		expect(body.contents).toEqual([
			{ role: "user", parts: [{ text: "Hi" }] },
			{ role: "model", parts: [{ text: "Hello" }] },
			{ role: "user", parts: [{ text: "<system-reminder>\nThree.\n</system-reminder>" }, { text: "Go on" }] },
		]);
	});

	test("a system alone becomes what the user says", () => {
		const { body } = encoded(conversation({ role: "system", blocks: [say("Greet me.")] }));
		expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Greet me." }] }] });
	});

	test("a conversation begins with the user and ends with words put into the model's mouth only where it takes them", () => {
		const asked = conversation(assistant(say("Hello")), user(say("Hi")), assistant(say("I am")));
		const rolesIn = ({ body }: ReturnType<typeof encoded>) => body.contents.map(({ role }: { role: string }) => role);
		expect(rolesIn(encoded(asked))).toEqual(["user", "model", "user", "model"]);
		const refused = encoded(asked, target("gemini-x", { prefill: false }));
		expect(rolesIn(refused)).toEqual(["user", "model", "user"]);
		expect(refused.losses).toEqual(["messages"]);
	});

	test("H82 empty texts are left out", () => {
		const { body } = encoded(conversation(user(say(""), say("Hi")), assistant(say(""))));
		expect(body.contents).toEqual([{ role: "user", parts: [{ text: "Hi" }] }]);
	});

	test("H69 parallel calls of which the first is signed stay in one content", () => {
		const { body } = encoded(
			conversation(
				user(say("Go")),
				assistant(call("a", "f", { signature: { value: "U0lH", origin: gemini } }), call("b")),
				{ role: "tool", blocks: [result("a", say("1")), result("b", say("2"))] },
			),
			target("gemini-3-flash-preview"),
		);
		expect(body.contents[1]).toEqual({
			role: "model",
			parts: [
				{ functionCall: { id: "a", name: "f", args: { id: "a" } }, thoughtSignature: "U0lH" },
				{ functionCall: { id: "b", name: "f", args: { id: "b" } } },
			],
		});
	});

	test("H68 the first unsigned call of each step gets Google's word for that, from Gemini 3 on only", () => {
		const request = conversation(
			user(say("Go")),
			assistant(call("a"), call("b")),
			{ role: "tool", blocks: [result("a", say("1")), result("b", say("2"))] },
			assistant(call("c", "f", { signature: { value: "foreign", origin: claude } })),
			{ role: "tool", blocks: [result("c", say("3"))] },
		);
		const signatures = (model: string) =>
			encoded(request, target(model)).body.contents.flatMap(({ parts }: { parts: Record<string, unknown>[] }) =>
				parts.filter((part) => part["functionCall"]).map((part) => part["thoughtSignature"]),
			);
		const sentinel = "skip_thought_signature_validator";
		expect(signatures("gemini-3.1-pro-preview")).toEqual([sentinel, undefined, sentinel]);
		expect(signatures("gemini-flash-latest")).toEqual([sentinel, undefined, sentinel]);
		expect(signatures("gemini-2.5-flash")).toEqual([undefined, undefined, undefined]);
	});

	test("H84 H50 signatures that foreign clients replay beside the part find it again, one each, in order", () => {
		const sign = (value: string): Block => ({
			type: "thinking",
			text: "",
			form: "full",
			signature: { value, origin: gemini },
		});
		const { body, losses } = encoded(
			conversation(user(say("Go")), assistant(sign("A"), say("Looking."), sign("B"), call("b"), sign("C")), {
				role: "tool",
				blocks: [result("b", say("1"))],
			}),
			target("gemini-3-flash-preview"),
		);
		expect(body.contents[1].parts).toEqual([
			{ text: "Looking.", thoughtSignature: "A" },
			{ functionCall: { id: "b", name: "f", args: { id: "b" } }, thoughtSignature: "B" },
			{ text: "", thoughtSignature: "C" },
		]);
		expect(losses).toEqual([]);
	});

	test("reasoning of other models is left behind, and that is said", () => {
		const { body, losses } = encoded(
			conversation(
				user(say("Go")),
				assistant(
					{ type: "thinking", text: "Hmm", form: "full", signature: { value: "x", origin: claude } },
					{ type: "opaque_thinking", data: { value: "y", origin: claude } },
					say("Yes"),
				),
				user(say("Why?")),
			),
		);
		expect(body.contents[1]).toEqual({ role: "model", parts: [{ text: "Yes" }] });
		expect(losses).toEqual(["thinking", "opaque_thinking"]);
	});

	test("H70 all results of a step stand in one content of their own, as many as calls", () => {
		const { body } = encoded(
			conversation(
				user(say("Go")),
				assistant(call("a"), call("b")),
				user(result("b", say("2")), say("And hurry.")),
				user(result("a", say('{"n":1}'))),
			),
		);
		expect(body.contents.slice(2)).toEqual([
			{
				role: "user",
				parts: [
					{ functionResponse: { id: "a", name: "f", response: { n: 1 } } },
					{ functionResponse: { id: "b", name: "f", response: { output: "2" } } },
				],
			},
			{ role: "user", parts: [{ text: "And hurry." }] },
		]);
	});

	test("H73 calls sent as messages of their own are one step with one content of results", () => {
		const { body } = encoded(
			conversation(user(say("Go")), assistant(call("a")), assistant(call("b")), {
				role: "tool",
				blocks: [result("a", say("1")), result("b", say("2"))],
			}),
		);
		expect(body.contents.map(({ parts }: { parts: unknown[] }) => parts.length)).toEqual([1, 2, 2]);
	});

	test("H71 an image in a result stands within it for Gemini 3, and after all results before", () => {
		const request = conversation(user(say("Go")), assistant(call("a"), call("b")), {
			role: "tool",
			blocks: [result("a", say("shot"), image), result("b", say("2"))],
		});
		const part = { inlineData: { mimeType: "image/png", data: "AAAA" } };
		expect(encoded(request, target("gemini-3-flash-preview")).body.contents[2].parts[0]).toEqual({
			functionResponse: { id: "a", name: "f", response: { output: "shot" }, parts: [part] },
		});
		const { contents } = encoded(request, target("gemini-2.5-flash")).body;
		expect(contents[2].parts.map((each: object) => Object.keys(each))).toEqual([
			["functionResponse"],
			["functionResponse"],
		]);
		expect(contents[3]).toEqual({ role: "user", parts: [{ text: "Attached to the result of f:" }, part] });
	});

	test("a text document in a result is text of it", () => {
		const document: Block = { type: "document", media: { by: "text", mime: "text/plain", text: "Plain." } };
		const { body } = encoded(
			conversation(user(say("Go")), assistant(call("a")), user(result("a", say("See:"), document))),
		);
		expect(body.contents.slice(2)).toMatchObject([
			{ parts: [{ functionResponse: { response: { output: "See:\nPlain." } } }] },
		]);
	});

	test("failed results say so", () => {
		const { body } = encoded(
			conversation(user(say("Go")), assistant(call("a")), user({ ...result("a", say("no such city")), isError: true })),
		);
		expect(body.contents[2].parts[0].functionResponse.response).toEqual({ error: "no such city" });
	});

	test("arguments are an object whatever they were", () => {
		const given = (args: ToolCallBlock["arguments"]) =>
			encoded(conversation(user(say("Go")), assistant(call("a", "f", { arguments: args })))).body.contents[1].parts[0]
				.functionCall.args;
		expect(given({ form: "json", value: [1], text: "[1]" })).toEqual({ value: [1] });
		expect(given({ form: "json", value: null, text: "null" })).toEqual({ value: null });
		expect(given({ form: "invalid", text: '{"a":' })).toEqual({ input: '{"a":' });
		expect(given({ form: "text", text: "ls -l" })).toEqual({ input: "ls -l" });
		expect(given({ form: "invalid", text: "" })).toEqual({});
	});

	test("a document without a title is called by its file's name, which the Gemini API has no member for", () => {
		const pdf = { by: "bytes", mime: "application/pdf", base64: "JVBE" } as const;
		const { body, losses } = encoded(
			conversation(user({ type: "document", media: pdf, filename: "q3.pdf" }), assistant(call("a")), {
				role: "tool",
				blocks: [result("a", { type: "document", media: pdf, filename: "q4.pdf" })],
			}),
		);
		expect(losses).toEqual([]);
		expect(body.contents[0].parts).toEqual([
			{ text: "q3.pdf" },
			{ inlineData: { mimeType: "application/pdf", data: "JVBE" } },
		]);
		expect(body.contents[2].parts[0].functionResponse.response).toEqual({ output: "q4.pdf" });
	});

	test("names that a Gemini client gave its files go back where they stood, for results refer to them", () => {
		const picture = { inlineData: { mimeType: "image/png", data: "AAAA", displayName: "chart.png" } };
		const contents = [
			{
				role: "user",
				parts: [
					picture,
					{ fileData: { mimeType: "application/pdf", fileUri: "gs://b/q3", displayName: "q3.pdf" } },
					{ fileData: { mimeType: "text/csv", fileUri: "https://a.test/t.csv", displayName: "t.csv" } },
				],
			},
			{ role: "model", parts: [{ functionCall: { id: "a", name: "f", args: {} } }] },
			{
				role: "user",
				parts: [
					{
						functionResponse: {
							id: "a",
							name: "f",
							response: { chart: { $ref: "chart.png" } },
							parts: [picture],
						},
					},
				],
			},
		];
		const { body } = encoded(decoded({ contents }), target("gemini-3-flash-preview"));
		expect(body.contents[0]).toEqual(contents[0]);
		expect(body.contents[2]).toEqual(contents[2]);
	});

	test("H127 H128 media go by bytes or address with their type; files of others are lost, and that is said", () => {
		const { body, losses } = encoded(
			conversation(
				user(
					{ type: "image", media: { by: "bytes", mime: "image/jpg", base64: "AAAA" } },
					{ type: "image", media: { by: "url", url: "https://example.org/a/cat.webp?x=1" } },
					{ type: "document", media: { by: "bytes", mime: "application/pdf", base64: "JVBE" }, title: "Report" },
					{ type: "document", media: { by: "text", mime: "text/plain", text: "Plain words." } },
					{ type: "audio", media: { by: "bytes", mime: "audio/wav", base64: "UklG" } },
					{ type: "video", media: { by: "url", url: "https://youtu.be/abc" } },
					{ type: "document", media: { by: "file", id: "file-123", origin: { protocol: "responses", family: "gpt" } } },
				),
			),
		);
		expect(body.contents[0].parts).toEqual([
			{ inlineData: { mimeType: "image/jpeg", data: "AAAA" } },
			{ fileData: { mimeType: "image/webp", fileUri: "https://example.org/a/cat.webp?x=1" } },
			{ text: "Report" },
			{ inlineData: { mimeType: "application/pdf", data: "JVBE" } },
			{ text: "Plain words." },
			{ inlineData: { mimeType: "audio/wav", data: "UklG" } },
			{ fileData: { mimeType: "video/mp4", fileUri: "https://youtu.be/abc" } },
		]);
		expect(losses).toEqual(["document"]);
	});
});

describe("tools for Gemini", () => {
	test("H80 names that Gemini refuses are changed, differ from each other, and are known to the way back", () => {
		const long = "x".repeat(80);
		const tools = ["get weather", "get/weather", "get_weather", "7up", long, `${long}y`].map((name) => fn(name));
		const { body, names } = encoded(
			neutral({ tools, messages: [user(say("Go")), assistant(call("a", "get/weather"))] }),
		);
		const sent: string[] = body.tools[0].functionDeclarations.map(({ name }: { name: string }) => name);
		expect(sent.every((name) => /^[a-zA-Z_][\w.:-]{0,63}$/.test(name))).toBe(true);
		expect(new Set(sent).size).toBe(6);
		expect(sent[2]).toBe("get_weather");
		expect(sent.map((name) => names.tools.get(name) ?? name)).toEqual(tools.map(({ name }) => name));
		expect(body.contents[1].parts[0].functionCall.name).toBe(sent[1]);
		expect(body.contents[2].parts[0].functionResponse.name).toBe(sent[1]);
	});

	test("functions declare JSON Schema, custom tools become functions of one text, namespaces are flattened", () => {
		const { body } = encoded(
			neutral({
				tools: [
					{ ...fn("f", { type: "object", properties: { a: { type: "string" } } }), description: "Does it." },
					{ type: "custom", name: "shell", description: "Runs it." },
					{ ...fn("read"), namespace: "files" },
				],
			}),
		);
		expect(body.tools[0].functionDeclarations).toEqual([
			{
				name: "f",
				description: "Does it.",
				parametersJsonSchema: { type: "object", properties: { a: { type: "string" } } },
			},
			{
				name: "shell",
				description: "Runs it.",
				parametersJsonSchema: {
					type: "object",
					properties: { input: { type: "string", description: expect.any(String) } },
					required: ["input"],
				},
			},
			{ name: "files__read", parametersJsonSchema: { type: "object", properties: {} } },
		]);
	});

	const search = {
		type: "server",
		tool: "web_search",
		vendorType: "web_search_20250305",
		name: "web_search",
		config: { allowedDomains: ["a.example"] },
		origin: claude,
	} as const;

	test("web search becomes Google's, and settings that it has not are said to be lost", () => {
		const { body, losses } = encoded(neutral({ tools: [search] }));
		expect(body.tools).toEqual([{ googleSearch: {} }]);
		expect(losses).toEqual(["server.allowedDomains"]);
	});

	test("Google's tools beside functions: from Gemini 3 on with what that takes, before it functions win", () => {
		const request = neutral({ tools: [{ ...search, config: {} }, fn("f")] });
		const now = encoded(request, target("gemini-3-flash-preview")).body;
		expect(now.tools.map((tool: object) => Object.keys(tool)[0])).toEqual(["googleSearch", "functionDeclarations"]);
		expect(now.toolConfig).toEqual({ includeServerSideToolInvocations: true });
		const before = encoded(request, target("gemini-2.5-flash"));
		expect(before.body.tools.map((tool: object) => Object.keys(tool)[0])).toEqual(["functionDeclarations"]);
		expect(before.losses).toEqual(["server"]);
	});

	test.each([
		[{ mode: "auto" }, { mode: "AUTO" }],
		[{ mode: "none" }, { mode: "NONE" }],
		[{ mode: "required" }, { mode: "ANY" }],
		[
			{ mode: "named", names: ["f"], force: true },
			{ mode: "ANY", allowedFunctionNames: ["f"] },
		],
		[
			{ mode: "named", names: ["f"], force: false },
			{ mode: "VALIDATED", allowedFunctionNames: ["f"] },
		],
	] as const)("tool choice %p", (toolChoice, functionCallingConfig) =>
		expect(encoded(neutral({ tools: [fn("f")], toolChoice })).body.toolConfig).toEqual({ functionCallingConfig }),
	);

	test.each([
		[{ force: true, names: ["f", "web_search"] }, "ANY", ["googleSearch"], ["toolChoice"]],
		[{ force: false, names: ["f", "web_search"] }, "VALIDATED", ["googleSearch"], []],
		[{ force: false, names: ["f"] }, "VALIDATED", [], []],
	] as const)(
		"of tools that a choice allows, %p, functions are named and Google's are there or not",
		(choice, mode, own, lost) => {
			const tools = [{ ...search, config: {} }, fn("f"), fn("g")];
			const request = neutral({ tools, toolChoice: { mode: "named", ...choice } });
			const { body, losses } = encoded(request, target("gemini-3-flash-preview"));
			expect(body.tools.map((tool: object) => Object.keys(tool)[0])).toEqual([...own, "functionDeclarations"]);
			expect(body.toolConfig.functionCallingConfig).toEqual({ mode, allowedFunctionNames: ["f"] });
			expect(losses).toEqual([...lost]);
		},
	);

	test("strict functions are validated; what has no place is said to be lost", () => {
		const { body, losses } = encoded(
			neutral({
				tools: [{ ...fn("f"), strict: true }],
				parallelTools: false,
				maxToolCalls: 3,
				verbosity: "low",
				identity: { user: "u" },
			}),
		);
		expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: "VALIDATED" } });
		expect(losses).toEqual(["parallelTools", "maxToolCalls", "verbosity", "user"]);
	});
});

describe("settings for Gemini", () => {
	const config = (members: Partial<NeutralRequest>, context = target()) =>
		encoded(neutral(members), context).body.generationConfig;

	test("sampling, limits, candidates and logprobs", () => {
		expect(
			config({
				sampling: { temperature: 1, topP: 0.9, topK: 20, seed: 7, presencePenalty: 0.5, frequencyPenalty: 0.4 },
				maxOutputTokens: 100,
				stop: ["END"],
				candidates: 2,
				logprobs: { enabled: true, top: 5 },
				modalities: ["text", "image"],
			}),
		).toEqual({
			temperature: 1,
			topP: 0.9,
			topK: 20,
			seed: 7,
			presencePenalty: 0.5,
			frequencyPenalty: 0.4,
			maxOutputTokens: 100,
			stopSequences: ["END"],
			candidateCount: 2,
			responseLogprobs: true,
			logprobs: 5,
			responseModalities: ["TEXT", "IMAGE"],
		});
	});

	test.each([
		[7, 7],
		[-2_147_483_648, -2_147_483_648],
		[4_294_967_295, -1],
		[1_764_000_000_000, -1_231_558_656],
		[2 ** 62, 0],
	])("the seed %p is sent in 32 bits as %p", (seed, sent) => {
		expect(config({ sampling: { seed } })).toEqual({ seed: sent });
	});

	test("limits of the model are kept to, and what is cut is said", () => {
		const request = neutral({
			maxOutputTokens: 100_000,
			stop: ["1", "2", "3", "4", "5", "6"],
			sampling: { logitBias: { 1: 2 }, temperature: 1, topP: 1 },
		});
		const { body, losses } = encoded(request, target("gemini-2.5-flash", { maxOutput: 8192, temperatureOrTopP: true }));
		expect(body.generationConfig).toEqual({
			maxOutputTokens: 8192,
			stopSequences: ["1", "2", "3", "4", "5"],
			temperature: 1,
		});
		expect(losses.sort()).toEqual(["logitBias", "stop", "topP"]);
		expect(encoded(request, target("x", { samplingRefused: true })).losses).toContain("temperature");
	});

	test.each([
		["gemini-2.5-flash", { mode: "off" }, { thinkingBudget: 0 }],
		["gemini-2.5-pro", { mode: "off" }, { thinkingBudget: 128 }],
		["gemini-2.5-flash", { mode: "auto" }, { includeThoughts: true, thinkingBudget: -1 }],
		["gemini-2.5-flash", { mode: "on", effort: "minimal" }, { includeThoughts: true, thinkingBudget: 512 }],
		["gemini-2.5-flash", { mode: "on", effort: "medium" }, { includeThoughts: true, thinkingBudget: 8192 }],
		["gemini-2.5-pro", { mode: "on", effort: "max" }, { includeThoughts: true, thinkingBudget: 32_768 }],
		["gemini-2.5-flash-lite", { mode: "on", budget: 100 }, { includeThoughts: true, thinkingBudget: 512 }],
		["gemini-2.5-flash", { mode: "on", budget: 1000, expose: "none" }, { thinkingBudget: 1000 }],
		["gemini-3-flash-preview", { mode: "off" }, { thinkingLevel: "LOW" }],
		["gemini-3-pro-preview", { mode: "off" }, { thinkingLevel: "LOW" }],
		["gemini-3-pro-preview", { mode: "on", effort: "medium" }, { includeThoughts: true, thinkingLevel: "LOW" }],
		["gemini-3.1-pro-preview", { mode: "on", effort: "medium" }, { includeThoughts: true, thinkingLevel: "MEDIUM" }],
		["gemini-3-flash-preview", { mode: "on", effort: "xhigh" }, { includeThoughts: true, thinkingLevel: "HIGH" }],
		["gemini-4-neon", { mode: "on", effort: "xhigh" }, { includeThoughts: true, thinkingLevel: "XHIGH" }],
		["gemini-4-neon", { mode: "on", effort: "max" }, { includeThoughts: true, thinkingLevel: "XHIGH" }],
		["gemini-4-carbon", { mode: "on", effort: "xhigh" }, { includeThoughts: true, thinkingLevel: "HIGH" }],
		["gemini-4-argon", { mode: "on", effort: "minimal" }, { includeThoughts: true, thinkingLevel: "LOW" }],
		["gemini-3-flash-preview", { mode: "on", budget: 2000 }, { includeThoughts: true, thinkingLevel: "MEDIUM" }],
		["gemini-3-flash-preview", { mode: "auto" }, { includeThoughts: true }],
		["gemini-3-flash-preview", { mode: "default" }, undefined],
	] as const)("thinking of %s: %p", (model, reasoning, thinkingConfig) =>
		expect(config({ reasoning }, target(model))?.thinkingConfig).toEqual(thinkingConfig),
	);

	test("thinking obeys the model's capabilities, and is lost where there is none", () => {
		const reasoning = { mode: "on", effort: "minimal" } as const;
		expect(
			config({ reasoning }, target("mine", { thinking: "effort", efforts: ["low", "high"] })).thinkingConfig,
		).toEqual({
			includeThoughts: true,
			thinkingLevel: "LOW",
		});
		const most = { reasoning: { mode: "on", effort: "xhigh" } } as const;
		const foreign = { ...target("claude-opus-5"), family: "claude" };
		expect(config(most, foreign).thinkingConfig).toEqual({ includeThoughts: true, thinkingLevel: "HIGH" });
		expect(encoded(neutral({ reasoning }), target("gemini-2.0-flash")).losses).toEqual(["reasoning"]);
	});

	const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

	test.each([
		[{ type: "json" }, { responseMimeType: "application/json" }],
		[
			{ type: "schema", schema },
			{ responseMimeType: "application/json", responseJsonSchema: schema },
		],
		[
			{ type: "schema", schema, description: "An A" },
			{ responseMimeType: "application/json", responseJsonSchema: { ...schema, description: "An A" } },
		],
		[
			{ type: "enum", values: ["a", "b"] },
			{ responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a", "b"] } },
		],
	] as const)("format %p", (format, expected) => expect(config({ format })).toEqual(expected as never));

	test("a format beside functions is asked for in words where Gemini refuses the two together", () => {
		const request = neutral({ format: { type: "schema", schema }, tools: [fn("f")] });
		const before = encoded(request, target("gemini-2.5-flash")).body;
		expect(before.generationConfig).toBeUndefined();
		expect(before.systemInstruction.parts[0].text).toContain(JSON.stringify(schema));
		const now = encoded(request, target("gemini-3-flash-preview")).body;
		expect(now.generationConfig.responseJsonSchema).toEqual(schema);
	});

	test("tiers that Gemini knows are named, others are lost", () => {
		expect(encoded(neutral({ tier: "flex" })).body.serviceTier).toBe("flex");
		expect(encoded(neutral({ tier: "auto" })).body).not.toHaveProperty("serviceTier");
		expect(encoded(neutral({ tier: "scale" })).losses).toEqual(["tier"]);
	});

	test("tokens are counted of the whole request", () => {
		const request = neutral({ messages: [{ role: "system", blocks: [say("S")] }, user(say("Hi"))] });
		expect(encoded(request, { ...target("gemini-2.5-flash"), operation: "count_tokens" }).body).toEqual({
			generateContentRequest: {
				model: "models/gemini-2.5-flash",
				contents: [{ role: "user", parts: [{ text: "Hi" }] }],
				systemInstruction: { parts: [{ text: "S" }] },
			},
		});
	});

	test("what only Gemini knows goes back to Gemini, and nobody else's additions do", () => {
		const body = {
			contents: [
				{
					role: "user",
					parts: [
						{ text: "Hi" },
						{ fileData: { fileUri: "gs://b/v.mp4", mimeType: "video/mp4" }, videoMetadata: { fps: 2 } },
					],
				},
			],
			tools: [
				{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } },
				{
					functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } }],
				},
			],
			toolConfig: { functionCallingConfig: { mode: "VALIDATED" }, includeServerSideToolInvocations: true },
			safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
			generationConfig: {
				mediaResolution: "MEDIA_RESOLUTION_LOW",
				speechConfig: { languageCode: "no" },
				imageConfig: { aspectRatio: "1:1" },
			},
			cachedContent: "cachedContents/1",
			labels: { team: "x" },
		};
		expect(encoded(decoded(body), target("gemini-3-flash-preview"))).toMatchObject({
			losses: [],
			body: {
				...body,
				tools: [
					{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } },
					{
						functionDeclarations: [
							{ name: "f", parametersJsonSchema: { type: "object", properties: { a: { type: "string" } } } },
						],
					},
				],
			},
		});
		const foreign = neutral({
			protocol: "messages",
			extras: { messages: { context_management: {} } },
			safety: [{ moderation: true }],
		});
		expect(encoded(foreign)).toMatchObject({
			body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
			losses: ["safety", "context_management"],
		});
		expect(encoded(foreign).body).not.toHaveProperty("context_management");
	});
});
