/** Guards through the front door: one table of surfaces, none of which may reach an upstream unguarded. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatAnswer, chatStream } from "../support/chat-answers.ts";

const card = "4111111111111111";

let upstream: ScriptedUpstream;
let messages: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	messages = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"responses",
			"generate-content",
			"embeddings",
			{ use: resolve(import.meta.dir, "../../templates/stranger-rerank") },
			"prices",
			"ledger",
			{ use: "guard-patterns", with: { patterns: [{ name: "card", pattern: "4[0-9]{15}" }] } },
			{
				use: "router",
				with: {
					upstreams: [
						{
							name: "chat",
							protocol: "chat-completions",
							url: `${upstream.url}/v1`,
							endpoints: ["stranger-rerank", "embeddings"],
						},
						{ name: "claude", protocol: "messages", url: messages.url },
					],
					models: [
						{ name: "m", targets: [{ upstream: "chat" }] },
						{ name: "claude-x", targets: [{ upstream: "claude" }] },
					],
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	await messages.stop();
});

beforeEach(() => {
	upstream.received.length = 0;
	messages.received.length = 0;
	upstream.answer(() => Response.json(chatAnswer("Your [card_1] is fine")));
});

const tool = { type: "function", function: { name: "pay", parameters: { type: "object" } } };

/** What a tool is called with, under names that protocols have for other things. */
const named = { id: card, type: card, role: card, status: card, of: [{ call_id: card, signature: card }] };

/** Each surface by which words reach a model: the path and the body that carries the card there. */
const surfaces: readonly (readonly [name: string, path: string, body: object])[] = [
	["chat: text", "/v1/chat/completions", { messages: [{ role: "user", content: `my ${card}` }] }],
	["chat: parts", "/v1/chat/completions", { messages: [{ role: "user", content: [{ type: "text", text: card }] }] }],
	[
		"chat: system",
		"/v1/chat/completions",
		{
			messages: [
				{ role: "system", content: card },
				{ role: "user", content: "x" },
			],
		},
	],
	[
		"chat: tool description",
		"/v1/chat/completions",
		{
			messages: [{ role: "user", content: "x" }],
			tools: [{ ...tool, function: { ...tool.function, description: card } }],
		},
	],
	[
		"chat: tool schema",
		"/v1/chat/completions",
		{
			messages: [{ role: "user", content: "x" }],
			tools: [
				{
					...tool,
					function: {
						name: "pay",
						parameters: { type: "object", properties: { to: { type: "string", enum: [card] } } },
					},
				},
			],
		},
	],
	[
		"chat: tool arguments",
		"/v1/chat/completions",
		{
			messages: [
				{ role: "user", content: "x" },
				{
					role: "assistant",
					content: null,
					tool_calls: [
						{ id: "c1", type: "function", function: { name: "pay", arguments: `{"number":"${card}","raw":${card}}` } },
					],
				},
				{ role: "tool", tool_call_id: "c1", content: "ok" },
			],
			tools: [tool],
		},
	],
	[
		"chat: tool result",
		"/v1/chat/completions",
		{
			messages: [
				{ role: "user", content: "x" },
				{
					role: "assistant",
					content: null,
					tool_calls: [{ id: "c1", type: "function", function: { name: "pay", arguments: "{}" } }],
				},
				{ role: "tool", tool_call_id: "c1", content: card },
			],
			tools: [tool],
		},
	],
	[
		"chat: tool arguments called as protocols call things",
		"/v1/chat/completions",
		{
			messages: [
				{ role: "user", content: "x" },
				{
					role: "assistant",
					content: null,
					tool_calls: [{ id: "c1", type: "function", function: { name: "pay", arguments: JSON.stringify(named) } }],
				},
				{ role: "tool", tool_call_id: "c1", content: JSON.stringify(named) },
			],
			tools: [tool],
		},
	],
	[
		"chat: metadata called so",
		"/v1/chat/completions",
		{ messages: [{ role: "user", content: "x" }], metadata: { id: card } },
	],
	["chat: user", "/v1/chat/completions", { messages: [{ role: "user", content: "x" }], user: card }],
	[
		"chat: unknown field",
		"/v1/chat/completions",
		{ messages: [{ role: "user", content: "x" }], metadata: { note: card } },
	],
	["responses: input text", "/v1/responses", { input: `my ${card}` }],
	[
		"responses: input items",
		"/v1/responses",
		{ input: [{ role: "user", content: [{ type: "input_text", text: card }] }] },
	],
	["responses: instructions", "/v1/responses", { input: "x", instructions: card }],
	[
		"responses: function output",
		"/v1/responses",
		{
			input: [
				{ role: "user", content: "x" },
				{ type: "function_call", call_id: "c1", name: "pay", arguments: `{"n":"${card}"}` },
				{ type: "function_call_output", call_id: "c1", output: card },
			],
		},
	],
	["messages: text", "/v1/messages", { max_tokens: 50, messages: [{ role: "user", content: card }] }],
	[
		"messages: system",
		"/v1/messages",
		{ max_tokens: 50, system: [{ type: "text", text: card }], messages: [{ role: "user", content: "x" }] },
	],
	[
		"messages: tool use and result",
		"/v1/messages",
		{
			max_tokens: 50,
			messages: [
				{ role: "user", content: "x" },
				{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "pay", input: { n: card } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: card }] },
			],
		},
	],
	[
		"messages: tool use called so",
		"/v1/messages",
		{
			max_tokens: 50,
			messages: [
				{ role: "user", content: "x" },
				{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "pay", input: named }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
			],
		},
	],
	[
		"messages: document",
		"/v1/messages",
		{
			max_tokens: 50,
			messages: [
				{
					role: "user",
					content: [
						{ type: "document", source: { type: "text", media_type: "text/plain", data: card } },
						{ type: "text", text: "x" },
					],
				},
			],
		},
	],
	[
		"generate-content: text",
		"/v1beta/models/MODEL:generateContent",
		{ contents: [{ role: "user", parts: [{ text: card }] }] },
	],
	[
		"generate-content: call and response called so",
		"/v1beta/models/MODEL:generateContent",
		{
			contents: [
				{ role: "user", parts: [{ text: "x" }] },
				{ role: "model", parts: [{ functionCall: { name: "pay", args: named } }] },
				{ role: "user", parts: [{ functionResponse: { name: "pay", response: named } }] },
			],
		},
	],
	[
		"generate-content: system",
		"/v1beta/models/MODEL:generateContent",
		{ systemInstruction: { parts: [{ text: card }] }, contents: [{ role: "user", parts: [{ text: "x" }] }] },
	],
];

const claudeAnswer = {
	id: "msg_1",
	type: "message",
	role: "assistant",
	model: "claude-x",
	content: [{ type: "text", text: "Your [card_1] is fine" }],
	stop_reason: "end_turn",
	stop_sequence: null,
	usage: { input_tokens: 5, output_tokens: 2 },
};

describe("no surface is skipped", () => {
	for (const [model, name] of [
		["m", "an upstream of chat-completions"],
		["claude-x", "an upstream of messages"],
	] as const)
		for (const [surface, path, body] of surfaces)
			test(`${surface}, at ${name}`, async () => {
				messages.answer(() => Response.json(claudeAnswer));
				const to = model === "m" ? upstream : messages;
				const response = await gateway.ask(path.replace("MODEL", model), { model, ...body });
				const text = await response.text();
				expect([response.status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
				expect(to.received.length).toBe(1);
				expect(to.received[0]?.text).not.toContain(card);
				// Where the place has an upstream's word for it, the stand-in is there, and the answer has the card again.
				if (to.received[0]?.text.includes("[card_1]")) {
					expect(text).toContain(`Your ${card} is fine`);
					expect(text).not.toContain("card_1");
				}
			});

	test.each([
		["/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"${card}","content":"x"}]}`],
		["/v1/embeddings", `{"model":"m","input":"x","other":{"a":"${card}","\\u0061":"b"}}`],
	])("what hides behind a second field of its name is not sent: %s", async (path, body) => {
		const response = await gateway.ask(path, body);
		expect([response.status, await response.text()]).toEqual([
			400,
			expect.stringContaining("twice; send each field once"),
		]);
		expect(upstream.received.length).toBe(0);
	});

	test.each(["/v1/chat/completions", "/v1/messages"])(
		"it is put back into what a tool is called with, whatever the field is called: %s",
		async (path) => {
			const call = {
				id: "c1",
				type: "function",
				function: { name: "pay", arguments: '{"id":"[card_1]","status":"[card_1]"}' },
			};
			const message = { role: "assistant", content: null, tool_calls: [call] };
			upstream.answer(() =>
				Response.json({ ...chatAnswer(), choices: [{ index: 0, message, finish_reason: "tool_calls" }] }),
			);
			const asked = { model: "m", max_tokens: 9, messages: [{ role: "user", content: card }], tools: [] };
			const text = await (await gateway.ask(path, asked)).text();
			expect([text.split(card).length, text.includes("card_1")]).toEqual([3, false]);
		},
	);

	test("most of them carry the stand-in to the upstream of their own protocol", async () => {
		for (const [surface, path, body] of surfaces.filter(([, path]) => path === "/v1/chat/completions")) {
			upstream.received.length = 0;
			await (await gateway.ask(path, { model: "m", ...body })).text();
			expect([surface, upstream.received[0]?.text.includes("[card_1]")]).toEqual([surface, true]);
		}
	});
});

describe("bytes", () => {
	test("a request in which nothing is found goes as it came, and so does its answer", async () => {
		const body = '{ "model":"m",  "messages":[{"role":"user","content":"é \\u00e9"}], "temperature":1.0, "x":{"b":1} }';
		const answer =
			'{ "id":"c", "object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"[card_1]"},"finish_reason":"stop"}],"odd":1.0}';
		upstream.answer(() => new Response(answer, { headers: { "content-type": "application/json" } }));
		const response = await gateway.ask("/v1/chat/completions", body);
		expect(await response.text()).toBe(answer);
		expect(upstream.received[0]?.text).toBe(body);
	});

	test("a changed request keeps its other bytes, unknown fields included", async () => {
		const body = `{ "model":"m",  "messages":[{"role":"user","content":"${card}"}], "temperature":1.0, "x_unknown":{"b":1,"a":2} }`;
		await (await gateway.ask("/v1/chat/completions", body)).text();
		expect(upstream.received[0]?.text).toBe(
			'{ "model":"m",  "messages":[{"role":"user","content":"[card_1]"}], "temperature":1.0, "x_unknown":{"b":1,"a":2} }',
		);
	});
});

const contentOf = (text: string): string =>
	text
		.split("\n")
		.filter((line) => line.startsWith("data: {"))
		.map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? "")
		.join("");

describe("streams", () => {
	test("a stand-in cut anywhere is put back", async () => {
		const said = "The number [card_1] is known, [card_1]!";
		for (let size = 1; size <= 9; size++) {
			const pieces = said.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
			upstream.answer(() => streamOf(chatStream(pieces.map((content) => ({ content })))));
			const response = await gateway.ask("/v1/chat/completions", {
				model: "m",
				stream: true,
				messages: [{ role: "user", content: card }],
			});
			const text = await response.text();
			expect(contentOf(text)).toBe(`The number ${card} is known, ${card}!`);
			expect(text).toContain("data: [DONE]");
		}
	});

	test("tool arguments are put back as JSON", async () => {
		upstream.answer(() =>
			streamOf(
				chatStream(
					[
						{ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "pay", arguments: "" } }] },
						...['{"number":"[ca', "rd_", '1]"}'].map((text) => ({
							tool_calls: [{ index: 0, function: { arguments: text } }],
						})),
					],
					"tool_calls",
				),
			),
		);
		const response = await gateway.ask("/v1/chat/completions", {
			model: "m",
			stream: true,
			messages: [{ role: "user", content: card }],
			tools: [tool],
		});
		const given = (await response.text())
			.split("\n")
			.filter((line) => line.startsWith("data: {"))
			.map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? "")
			.join("");
		expect(JSON.parse(given)).toEqual({ number: card });
	});

	test("a signature stands behind all words that it signs", async () => {
		const start = { type: "message", id: "msg_1", role: "assistant", model: "claude", content: [], usage: {} };
		const grow = (delta: object) => ({ type: "content_block_delta", index: 0, delta });
		const events = [
			{ type: "message_start", message: start },
			{ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
			...["I see [ca", "rd_1] and no other."].map((thinking) => grow({ type: "thinking_delta", thinking })),
			grow({ type: "signature_delta", signature: "c2ln" }),
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
			{ type: "message_stop" },
		];
		messages.answer(() => streamOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)));
		const response = await gateway.ask("/v1beta/models/claude-x:streamGenerateContent?alt=sse", {
			contents: [{ role: "user", parts: [{ text: card }] }],
		});
		const parts = (await response.text())
			.split(/\r?\n/)
			.filter((line) => line.startsWith("data: {"))
			.flatMap((line) => JSON.parse(line.slice(6)).candidates[0].content.parts ?? []);
		expect(parts.map(({ text }) => text).join("")).toBe(`I see ${card} and no other.`);
		expect(parts.findIndex(({ thoughtSignature }) => thoughtSignature)).toBe(parts.length - 1);
	});

	test("words are handed on while the stream runs, but for those that may be half a stand-in", async () => {
		const gate = Promise.withResolvers<void>();
		upstream.answer(() => {
			const encoder = new TextEncoder();
			const pieces = chatStream([{ content: "a long beginning, then " }, { content: "the end" }]);
			return new Response(
				new ReadableStream({
					async start(controller) {
						for (const [index, piece] of pieces.entries()) {
							if (index === 2) await gate.promise;
							controller.enqueue(encoder.encode(piece));
						}
						controller.close();
					},
				}),
				{ headers: { "content-type": "text/event-stream" } },
			);
		});
		const response = await gateway.ask("/v1/chat/completions", {
			model: "m",
			stream: true,
			messages: [{ role: "user", content: card }],
		});
		const reader = response.body?.getReader();
		let text = "";
		while (!text.includes("a long begin")) text += new TextDecoder().decode((await reader?.read())?.value);
		gate.resolve();
		for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
			text += new TextDecoder().decode(read.value);
		expect(contentOf(text)).toBe("a long beginning, then the end");
	});
});

describe("endpoints", () => {
	test("an embedding's words carry stand-ins, tokens of numbers aside", async () => {
		upstream.answer(() =>
			Response.json({
				object: "list",
				model: "m",
				data: [{ object: "embedding", index: 0, embedding: [0.5] }],
				usage: { prompt_tokens: 3, total_tokens: 3 },
			}),
		);
		const response = await gateway.ask("/v1/embeddings", { model: "m", input: [`my ${card}`, "x"], user: card });
		expect(response.status).toBe(200);
		expect(upstream.received[0]?.json).toEqual({ model: "m", input: ["my [card_1]", "x"], user: "[card_1]" });
	});

	test("a rerank gives back the words of its documents", async () => {
		upstream.answer(() =>
			Response.json({
				id: "r1",
				results: [{ index: 0, relevance_score: 0.5, document: { text: "my [card_1]" } }],
				meta: { billed_units: { search_units: 1 } },
			}),
		);
		const response = await gateway.ask("/v1/stranger-rerank", { model: "m", query: "q", documents: [`my ${card}`] });
		const text = await response.text();
		expect(upstream.received[0]?.text).toContain("my [card_1]");
		expect(upstream.received[0]?.text).not.toContain(card);
		expect(text).toContain(`my ${card}`);
	});
});
