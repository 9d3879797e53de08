/** What a client is told it lost, at the front door: in its own words, at its own places, and refused where that is wished. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, type WireRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";

const models: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "mistral-large-latest",
	responses: "gpt-5.1",
	messages: "claude-sonnet-4-5",
	"generate-content": "gemini-2.5-pro",
};

const answers: Readonly<Record<ProtocolName, unknown>> = {
	"chat-completions": {
		id: "c",
		object: "chat.completion",
		created: 1,
		model: "m",
		choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
	},
	responses: {
		id: "r",
		object: "response",
		created_at: 1,
		status: "completed",
		model: "m",
		output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "ok" }] }],
	},
	messages: {
		id: "msg",
		type: "message",
		role: "assistant",
		model: "m",
		content: [{ type: "text", text: "ok" }],
		stop_reason: "end_turn",
		usage: { input_tokens: 1, output_tokens: 1 },
	},
	"generate-content": {
		candidates: [{ index: 0, content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
	},
};

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	const upstreams = protocolNames.map((protocol) => ({ name: protocol, protocol, url: upstream.url, key: "k" }));
	const routes = protocolNames.flatMap((protocol) => {
		const targets = [{ upstream: protocol, model: models[protocol] }];
		return [
			{ name: `to-${protocol}`, targets },
			{ name: `strict-${protocol}`, targets, translation: "strict" },
		];
	});
	gateway = await startGateway({
		plugins: ["tokens", ...protocolNames, { use: "router", with: { upstreams, models: routes } }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const question = "Hi";
const bodies: Readonly<Record<ProtocolName, WireRecord>> = {
	"chat-completions": { messages: [{ role: "user", content: question }] },
	responses: { input: [{ role: "user", content: question }] },
	messages: { max_tokens: 99, messages: [{ role: "user", content: question }] },
	"generate-content": { contents: [{ role: "user", parts: [{ text: question }] }] },
};
const paths: Readonly<Record<ProtocolName, (model: string) => string>> = {
	"chat-completions": () => "/v1/chat/completions",
	responses: () => "/v1/responses",
	messages: () => "/v1/messages",
	"generate-content": (model) => `/v1beta/models/${model}:generateContent`,
};

const send = (client: ProtocolName, to: ProtocolName, body: WireRecord, how = "to") => {
	upstream.answer(() => Response.json(answers[to]));
	const model = `${how}-${to}`;
	const whole = { ...bodies[client], ...body };
	return gateway.ask(paths[client](model), client === "generate-content" ? whole : { model, ...whole });
};

const fn = { name: "f", input_schema: { type: "object", properties: {} } };
const grammar = { type: "grammar", syntax: "lark", definition: "start: /a+/" };
const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };

/** Client, upstream, what is added to the request, and all that the client is told. */
const cases: readonly (readonly [ProtocolName, ProtocolName, WireRecord, readonly string[]])[] = [
	["messages", "chat-completions", { tools: [{ ...fn, input_examples: [{}] }] }, ["tools[0].input_examples"]],
	["messages", "responses", { tools: [fn, { ...fn, name: "g", input_examples: [{}] }] }, ["tools[1].input_examples"]],
	["messages", "generate-content", { tools: [{ ...fn, input_examples: [{}] }] }, ["tools[0].input_examples"]],
	[
		"messages",
		"responses",
		{
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "Read." },
						{ type: "document", source: { type: "text", media_type: "text/plain", data: "D" }, context: "old" },
					],
				},
			],
		},
		["messages[0].content[1].context"],
	],
	[
		"messages",
		"generate-content",
		{ tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 3 }] },
		["tools[0].max_uses"],
	],
	[
		"messages",
		"chat-completions",
		{
			messages: [
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "no", is_error: true }] },
			],
			tools: [fn],
		},
		["messages[2].content[0].is_error"],
	],
	[
		"responses",
		"generate-content",
		{ tools: [{ type: "custom", name: "p", format: grammar }] },
		["tools[0].format.grammar"],
	],
	[
		"responses",
		"messages",
		{ truncation: "auto", prompt_cache_key: "k", prompt_cache_retention: "24h" },
		["prompt_cache_key", "prompt_cache_retention", "truncation"],
	],
	[
		"responses",
		"chat-completions",
		{ truncation: "auto", prompt_cache_key: "k", prompt_cache_retention: "24h" },
		["truncation", "prompt_cache_key", "prompt_cache_retention"],
	],
	[
		"responses",
		"messages",
		{
			input: [
				{ role: "user", content: "Hi" },
				call,
				{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" },
			],
		},
		["input[2]"],
	],
	["chat-completions", "messages", { n: 2, logit_bias: { "1": 2 }, seed: 3 }, ["seed", "logit_bias", "n"]],
	[
		"chat-completions",
		"generate-content",
		{
			prediction: { type: "content", content: "x" },
			parallel_tool_calls: false,
			tools: [{ type: "function", function: { name: "f" } }],
		},
		["parallel_tool_calls", "prediction"],
	],
	[
		"generate-content",
		"chat-completions",
		{ generationConfig: { imageConfig: { aspectRatio: "1:1" }, speechConfig: { languageCode: "de" }, topK: 4 } },
		["topK", "speechConfig", "imageConfig"],
	],
	[
		"generate-content",
		"messages",
		{
			contents: [
				{
					role: "user",
					parts: [
						{ text: "What?" },
						{ inlineData: { mimeType: "image/png", data: "QUJD" }, mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } },
					],
				},
			],
			generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW" },
		},
		["mediaResolution", "contents[0].parts[1].mediaResolution"],
	],
	[
		"generate-content",
		"responses",
		{ generationConfig: { stopSequences: ["x"], candidateCount: 2 }, safetySettings: [{}], labels: { a: "b" } },
		["stopSequences", "candidateCount", "safetySettings", "labels"],
	],
];

describe.each(cases)("a client of %s, by %s,", (client, to, body, told) => {
	test(`is told of ${told.join(", ")}`, async () => {
		const response = await send(client, to, body);
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-dropped")?.split(",").sort()).toEqual([...told].sort());
	});

	test("is refused before anything is sent where nothing may be lost", async () => {
		const before = upstream.received.length;
		const response = await send(client, to, body, "strict");
		expect(response.status).toBe(400);
		expect(upstream.received.length).toBe(before);
		const { error } = asRecord(await response.json());
		for (const path of told) expect(asRecord(error)["message"]).toContain(path);
	});
});

test("what Portico itself put into a conversation is no loss of the client's", async () => {
	const open = {
		messages: [
			{ role: "user", content: "Hi" },
			{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
			{ role: "user", content: "Never mind." },
		],
		tools: [fn],
	};
	const response = await send("messages", "chat-completions", open, "strict");
	expect(response.status).toBe(200);
	expect(response.headers.get("x-portico-dropped")).toBeNull();
});

test.each(protocolNames)("a plain request of %s loses nothing anywhere", async (client) => {
	for (const to of protocolNames) {
		const response = await send(client, to, {}, "strict");
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-dropped")).toBeNull();
	}
});
