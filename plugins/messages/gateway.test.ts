/** Clients of this protocol through the front door: to upstreams of their own and of another protocol. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OldAnthropic from "anthropic-sdk-0";
import OpenAI from "openai";
import { asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chunk } from "./fixtures/exchange.ts";

const message = {
	id: "msg_1",
	type: "message",
	role: "assistant",
	model: "claude-real",
	content: [{ type: "text", text: "Hi there" }],
	stop_reason: "end_turn",
	stop_sequence: null,
	usage: { input_tokens: 8, output_tokens: 3 },
};
const sse = (data: Readonly<Record<string, unknown>>) => `event: ${data["type"]}\ndata: ${JSON.stringify(data)}\n\n`;
const ownStream = [
	sse({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
	sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
	sse({ type: "ping" }),
	sse({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi there" } }),
	sse({ type: "content_block_stop", index: 0 }),
	sse({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 3 } }),
	sse({ type: "message_stop" }),
];
const chatStream = [
	chunk({ role: "assistant", reasoning_content: "hm" }),
	chunk({ content: "Let me" }),
	chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }] }),
	chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
	chunk({}, "tool_calls"),
	chunk(null, null, { usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } }),
];
const chatPieces = [...chatStream.map((data) => `data: ${JSON.stringify(data)}\n\n`), "data: [DONE]\n\n"];

let own: ScriptedUpstream;
let chat: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	own = startUpstream();
	chat = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"messages",
			"chat-completions",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "claude", protocol: "messages", url: own.url, key: "sk-ant-upstream-secret" },
						{ name: "own", protocol: "messages", url: own.url, key: "sk-own", tenancy: "single" },
						{ name: "plain", protocol: "messages", url: own.url, key: "sk-p", tenancy: "single", threads: false },
						{ name: "gpt", protocol: "chat-completions", url: `${chat.url}/v1`, key: "sk-other" },
					],
					models: [
						{ name: "mine", targets: [{ upstream: "own" }] },
						{ name: "claude-*", targets: [{ upstream: "claude" }] },
						{ name: "fast", targets: [{ upstream: "claude", model: "claude-real" }] },
						{ name: "gpt", targets: [{ upstream: "gpt", model: "gpt-4o" }] },
						{ name: "threadless", targets: [{ upstream: "plain", model: "kimi-k2.6" }] },
					],
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await own.stop();
	await chat.stop();
});

beforeEach(() => {
	own.received.length = 0;
	chat.received.length = 0;
	own.answer(() => Response.json(message));
});

const asking = { max_tokens: 500, messages: [{ role: "user" as const, content: "Hello" }] };
const clients = [
	["1.x", () => new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 })],
	["0.x", () => new OldAnthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 }) as unknown as Anthropic],
] as const;

describe.each(clients)("the official SDK %s", (_version, clientOf) => {
	test("passes through to an upstream of its own protocol, under an alias", async () => {
		const answer = await clientOf().messages.create({ ...asking, model: "fast" });
		expect(answer as unknown).toEqual({ ...message, model: "fast" });
		const [request] = own.received;
		expect(request?.path).toBe("/v1/messages");
		expect(request?.json).toEqual({ ...asking, model: "claude-real" });
		expect(request?.headers.get("x-api-key")).toBe("sk-ant-upstream-secret");
		expect(request?.headers.get("authorization")).toBeNull();
		expect(request?.headers.get("anthropic-version")).toMatch(/^20\d\d-\d\d-\d\d$/);
	});

	test("reads its upstream's stream", async () => {
		own.answer(() => streamOf(ownStream));
		const final = await clientOf()
			.messages.stream({ ...asking, model: "fast" })
			.finalMessage();
		expect(final).toMatchObject({
			model: "fast",
			content: message.content,
			usage: { input_tokens: 8, output_tokens: 3 },
		});
	});

	test("reads a model of another protocol", async () => {
		chat.answer(() => streamOf(chatPieces));
		const tools = [{ name: "f", input_schema: { type: "object" as const } }];
		const final = await clientOf()
			.messages.stream({ ...asking, model: "gpt", tools, system: "Be brief" })
			.finalMessage();
		expect(final).toMatchObject({
			model: "gpt",
			content: [
				{ type: "thinking", thinking: "hm" },
				{ type: "text", text: "Let me" },
				{ type: "tool_use", id: "call_1", name: "f", input: { a: 1 } },
			],
			stop_reason: "tool_use",
			usage: { input_tokens: 20, output_tokens: 9 },
		});
		expect(chat.received[0]?.json).toMatchObject({
			model: "gpt-4o",
			stream: true,
			messages: [
				{ role: "system", content: "Be brief" },
				{ role: "user", content: "Hello" },
			],
		});
	});

	test("raises what its upstream refuses", async () => {
		const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
		own.answer(() => Response.json(error, { status: 529 }));
		const raised = await clientOf()
			.messages.create({ ...asking, model: "fast" })
			.catch((fault: unknown) => fault);
		expect(raised).toMatchObject({ status: 529, error: { error: { type: "overloaded_error" } } });
	});

	test("finds its models", async () => {
		const page = await clientOf().models.list();
		expect(page.data.map(({ id }) => id)).toEqual(["mine", "fast", "gpt", "threadless"]);
		expect(await clientOf().models.retrieve("fast")).toMatchObject({ id: "fast", type: "model" });
	});

	test("counts tokens, by its upstream or by an estimate", async () => {
		own.answer(() => Response.json({ input_tokens: 21 }));
		const { messages } = asking;
		expect((await clientOf().messages.countTokens({ model: "fast", messages })).input_tokens).toBe(21);
		expect(own.received[0]?.path).toBe("/v1/messages/count_tokens");
		expect((await clientOf().messages.countTokens({ model: "gpt", messages })).input_tokens).toBeGreaterThan(0);
	});
});

describe("errors", () => {
	const errorOf = async (response: Response) => ({ status: response.status, body: asRecord(await response.json()) });

	test("have this protocol's shape and the id in its header", async () => {
		const response = await gateway.ask("/v1/messages", { ...asking, model: "unknown" });
		const id = response.headers.get("request-id");
		expect(id).toBeTruthy();
		const { status, body } = await errorOf(response);
		expect(status).toBe(404);
		expect(body).toMatchObject({ type: "error", error: { type: "not_found_error" }, request_id: id });
	});

	test("name what is wrong with the request", async () => {
		const { status, body } = await errorOf(await gateway.ask("/v1/messages", { model: "fast", messages: [] }));
		expect(status).toBe(400);
		expect(String(asRecord(body["error"])["message"])).toStartWith("messages: ");
	});

	test("of a wrong key are the client's, of Portico's own key are not", async () => {
		const wrong = { headers: { authorization: "", "x-api-key": "sk-wrong" } };
		expect(await errorOf(await gateway.ask("/messages", { ...asking, model: "fast" }, wrong))).toMatchObject({
			status: 401,
			body: { error: { type: "authentication_error" } },
		});
		const error = { type: "error", error: { type: "authentication_error", message: "invalid sk-ant-upstream-secret" } };
		own.answer(() => Response.json(error, { status: 401 }));
		const refused = await errorOf(await gateway.ask("/v1/messages", { ...asking, model: "fast" }));
		expect(refused.status).toBe(502);
		expect(JSON.stringify(refused)).not.toContain("secret");
	});

	test("within a stream end it in this protocol's way", async () => {
		own.answer(() => streamOf(ownStream.slice(0, 4)));
		const text = await (await gateway.ask("/v1/messages", { ...asking, model: "fast", stream: true })).text();
		expect(text).toStartWith(ownStream[0]?.replace("claude-real", "fast") ?? "");
		expect(text).toContain("event: error\n");
		expect(text).not.toContain("message_stop");
	});
});

test.each(["claude-real", "fast"])(
	"what the end of a passing stream tore does not reach the client of %s",
	async (model) => {
		const last = ownStream.at(-1) ?? "";
		own.answer(() => streamOf([...ownStream.slice(0, -1), last.slice(0, -8)]));
		const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
		const raised: unknown = await client.messages
			.stream({ ...asking, model })
			.finalMessage()
			.catch((fault: unknown) => fault);
		expect(String(raised)).toContain("upstream_broke_off");
	},
);

test("bytes pass untouched where there is nothing to change, pings included", async () => {
	own.answer(() => streamOf(ownStream));
	const body =
		'{ "model":"claude-real", "max_tokens":9, "stream":true, "messages":[{"role":"user","content":"\\u00e9"}], "x":1.0}';
	const response = await gateway.ask("/v1/messages?beta=true", body, {
		headers: { "anthropic-beta": "context-1m-2025-08-07" },
	});
	expect(await response.text()).toBe(ownStream.join(""));
	expect(own.received[0]?.text).toBe(body);
	expect(own.received[0]?.path).toBe("/v1/messages?beta=true");
	expect(own.received[0]?.headers.get("anthropic-beta")).toBe("context-1m-2025-08-07");
});

const deepSeeks = { signature: "91cfbb94-554b-4136-8e21-fa02280d56ed" };
test.each([{ signature: "" }, {}, deepSeeks])(
	"thinking that Claude's maker did not sign (%j) goes to no Claude",
	async (signed) => {
		const thought = { type: "thinking", thinking: "hm", ...signed };
		const signature = "U2lnbmVk";
		const messages = [
			{ role: "user", content: "Hi" },
			{ role: "assistant", content: [thought, { type: "text", text: "Hello" }] },
			{ role: "user", content: "And?" },
			{ role: "assistant", content: [thought] },
			{ role: "user", content: "On" },
			{
				role: "assistant",
				content: [
					{ ...thought, signature },
					{ type: "text", text: "So" },
				],
			},
			{ role: "user", content: "Well?" },
		];
		const answers = await Promise.all(
			["fast", "threadless"].map((model) => gateway.ask("/v1/messages", { ...asking, model, messages })),
		);
		expect(answers.map(({ headers }) => headers.get("x-portico-dropped"))).toEqual([
			"messages[1].content[0],messages[3].content[0]",
			null,
		]);
		const sent = new Map(own.received.map(({ json }) => [asRecord(json)["model"], asRecord(json)["messages"]]));
		expect(sent.get("kimi-k2.6")).toEqual(messages);
		expect(sent.get("claude-real")).toEqual([
			messages[0],
			{ role: "assistant", content: [{ type: "text", text: "Hello" }] },
			messages[2],
			messages[4],
			messages[5],
			messages[6],
		]);
	},
);

describe("a prompt that is only to be cached", () => {
	const warming = { ...asking, max_tokens: 0 };

	test("goes to an upstream of this protocol as it came", async () => {
		const empty = { ...message, content: [], stop_reason: "max_tokens" };
		own.answer(() => Response.json(empty));
		const answer = await gateway.ask("/v1/messages", { ...warming, model: "claude-real" });
		expect([answer.status, await answer.json()]).toEqual([200, empty]);
		expect(own.received[0]?.json).toEqual({ ...warming, model: "claude-real" });
	});

	test("is refused for a model of another protocol", async () => {
		const answer = await gateway.ask("/v1/messages", { ...warming, model: "gpt" });
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({
			error: {
				type: "invalid_request_error",
				message: "max_tokens: this model cannot be asked to read a prompt without answering it; give at least 1.",
			},
		});
		expect(chat.received).toEqual([]);
	});
});

describe("a conversation that is to be summed up", () => {
	const summing = { ...asking, compaction: { type: "summarize" } };

	test("is by an upstream of this protocol", async () => {
		const summed = { ...message, content: [{ type: "compaction", content: "A greeting." }], stop_reason: "compaction" };
		own.answer(() => Response.json(summed));
		const answer = await gateway.ask("/v1/messages", { ...summing, model: "claude-real" });
		expect([answer.status, await answer.json()]).toEqual([200, summed]);
		expect(own.received[0]?.json).toEqual({ ...summing, model: "claude-real" });
	});

	test("is not answered in its place by a model of another protocol, and counted by any", async () => {
		const answer = await gateway.ask("/v1/messages", { ...summing, model: "gpt" });
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({
			error: { type: "invalid_request_error", message: expect.stringContaining("compaction: ") },
		});
		expect(chat.received).toEqual([]);
		const count = await gateway.ask("/v1/messages/count_tokens", { ...summing, max_tokens: undefined, model: "gpt" });
		expect(count.status).toBe(200);
	});
});

test("a customer whom Anthropic's SDKs name in a header is told to an account of the client's own, and to no other", async () => {
	const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
	const body = { max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }], user_profile_id: "uprof_1" };
	own.answer(() => Response.json(message));
	await client.messages.create({ ...body, model: "mine" });
	expect(own.received[0]?.headers.get("anthropic-user-profile-id")).toBe("uprof_1");
	for (const model of ["claude-real", "gpt"])
		expect(await client.messages.create({ ...body, model }).catch(String)).toContain("unknown_reference");
	expect([own.received.length, chat.received.length]).toEqual([1, 0]);
});

describe("a thread, which only Anthropic's servers hold,", () => {
	const thread = { type: "continue", previous_message_id: "msg_1" };

	test("goes on at an upstream of the client's own, also with nothing new to say", async () => {
		const answer = await gateway.ask("/v1/messages", { ...asking, model: "mine", messages: [], thread });
		expect(answer.status).toBe(200);
		expect(own.received[0]?.json).toMatchObject({ messages: [], thread });
	});

	test.each(["create", "continue"])("is refused elsewhere in the words by which SDKs do without (%s)", async (type) => {
		const answer = await gateway.ask("/v1/messages", { ...asking, model: "gpt", thread: { ...thread, type } });
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({
			error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } },
		});
		expect(chat.received).toEqual([]);
	});

	test.each(["create", "continue"])(
		"is refused where the operator says that the upstream holds none (%s)",
		async (type) => {
			const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
			const body = { ...asking, model: "threadless", thread: { ...thread, type } };
			const refused: unknown = await client.post("/v1/messages", { body }).catch((error: unknown) => error);
			expect(refused).toMatchObject({ status: 400, errorCode: "thread_unsupported_request" });
			expect(own.received).toEqual([]);
			own.answer(() => Response.json(message));
			expect((await gateway.ask("/v1/messages", { ...asking, model: "threadless" })).status).toBe(200);
		},
	);

	test("lets no other request be empty", async () => {
		const answer = await gateway.ask("/v1/messages", {
			...asking,
			model: "fast",
			messages: [],
			thread: { type: "create" },
		});
		expect(answer.status).toBe(400);
		expect(own.received).toEqual([]);
	});
});

describe("the summary of what was compacted", () => {
	const told = [
		{ role: "assistant", content: [{ type: "compaction", content: "They agreed on Tuesday.", signature: "s" }] },
		{ role: "user", content: "When?" },
	];

	test("is text to a model of another protocol", async () => {
		chat.answer(() => streamOf(chatPieces));
		await gateway.ask("/v1/messages", { ...asking, model: "gpt", messages: told }).then((answer) => answer.text());
		expect(asRecord(chat.received[0]?.json)["messages"]).toEqual([
			{ role: "assistant", content: "They agreed on Tuesday." },
			{ role: "user", content: "When?" },
		]);
	});

	test("is text to another maker's model of the same protocol, and itself to Claude", async () => {
		own.answer(() => Response.json(message));
		for (const model of ["threadless", "fast"])
			await gateway.ask("/v1/messages", { ...asking, model, messages: told }).then((answer) => answer.text());
		expect(own.received.map(({ json }) => asRecord(json)["messages"])).toEqual([
			[{ role: "assistant", content: [{ type: "text", text: "They agreed on Tuesday." }] }, told[1]],
			told,
		]);
	});

	const before = [
		{ role: "user", content: "A long story." },
		{ role: "assistant", content: [{ type: "text", text: "Its end." }, ...(told[0]?.content ?? [])] },
		{ role: "user", content: "When?" },
	];

	test("stands for all that was said before it, as it does at Anthropic", async () => {
		own.answer(() => Response.json(message));
		chat.answer(() => streamOf(chatPieces));
		for (const model of ["gpt", "threadless", "fast"])
			await gateway.ask("/v1/messages", { ...asking, model, messages: before }).then((answer) => answer.text());
		expect(asRecord(chat.received[0]?.json)["messages"]).toEqual([
			{ role: "assistant", content: "They agreed on Tuesday." },
			{ role: "user", content: "When?" },
		]);
		expect(own.received.map(({ json }) => asRecord(json)["messages"])).toEqual([
			[
				{ role: "user", content: [{ type: "text", text: "Continue." }] },
				{ role: "assistant", content: [{ type: "text", text: "They agreed on Tuesday." }] },
				{ role: "user", content: "When?" },
			],
			before,
		]);
	});

	test("that failed stands for nothing", async () => {
		own.answer(() => Response.json(message));
		chat.answer(() => streamOf(chatPieces));
		const failed = [
			{ role: "user", content: "A long story." },
			{
				role: "assistant",
				content: [
					{ type: "compaction", content: null },
					{ type: "text", text: "Its end." },
				],
			},
			{ role: "user", content: "When?" },
		];
		for (const model of ["gpt", "threadless"])
			await gateway.ask("/v1/messages", { ...asking, model, messages: failed }).then((answer) => answer.text());
		expect(asRecord(chat.received[0]?.json)["messages"]).toEqual([
			{ role: "user", content: "A long story." },
			{ role: "assistant", content: "Its end." },
			{ role: "user", content: "When?" },
		]);
		expect(asRecord(own.received[0]?.json)["messages"]).toEqual([
			{ role: "user", content: "A long story." },
			{ role: "assistant", content: [{ type: "text", text: "Its end." }] },
			{ role: "user", content: "When?" },
		]);
	});
});

test("large integers of a call keep their digits on the way to an OpenAI client, and back", async () => {
	const input = '{"id":1234567890123456789,"near":1}';
	const content = `[{"type":"tool_use","id":"t1","name":"f","input":${input}}]`;
	const body = JSON.stringify({ ...message, stop_reason: "tool_use" }).replace(
		JSON.stringify(message.content),
		content,
	);
	own.answer(() => new Response(body, { headers: { "content-type": "application/json" } }));
	const openai = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
	const tools = [{ type: "function" as const, function: { name: "f", parameters: { type: "object" } } }];
	const question = { role: "user" as const, content: "Hi" };
	const answer = await openai.chat.completions.create({ model: "fast", tools, messages: [question] });
	const said = answer.choices[0]?.message;
	expect(said?.tool_calls).toMatchObject([{ function: { arguments: input } }]);
	const result = { role: "tool" as const, tool_call_id: "t1", content: "done" };
	if (said) await openai.chat.completions.create({ model: "fast", tools, messages: [question, said, result] });
	expect(own.received.at(-1)?.text).toContain(`"input":${input}`);
});

test.each(["gpt", "threadless"])(
	"large integers of a call in a client's history reach %s as they stand",
	async (model) => {
		own.answer(() => Response.json(message));
		chat.answer(() =>
			Response.json({ choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }),
		);
		const messages = [
			// What only Claude reads makes the history of another maker's model be written anew.
			{ role: "assistant", content: [{ type: "compaction", content: "They agreed." }] },
			{ role: "user", content: "Hi" },
			{
				role: "assistant",
				content: [{ type: "tool_use", id: "t1", name: "f", input: { id: JSON.rawJSON("1234567890123456789") } }],
			},
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
			{ role: "user", content: "Go on" },
		];
		await gateway.ask("/v1/messages", { ...asking, model, messages }).then((answer) => answer.text());
		const sent = (model === "gpt" ? chat : own).received.at(-1)?.text;
		expect(sent).toContain("They agreed.");
		expect(sent?.replaceAll("\\", "")).toContain('"id":1234567890123456789');
	},
);
