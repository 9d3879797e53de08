/** The whole gateway with this plugin: conversations over any upstream, its routes, and streams that stop in the middle. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import {
	checkPlugin,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestGateway,
} from "#core/testing";
import { responsesFaults } from "../../test/support/grammar/responses.ts";
import { eventsIn } from "./fixtures/trial.ts";

let native: ScriptedUpstream;
let chat: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	native = startUpstream();
	chat = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"responses",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "native", protocol: "responses", url: `${native.url}/v1`, key: "up-key" },
						{ name: "chat", protocol: "chat-completions", url: `${chat.url}/v1`, key: "up-key" },
						{ name: "own", protocol: "responses", url: `${native.url}/v1`, key: "up-key", tenancy: "single" },
					],
					models: [
						{ name: "gpt-5", targets: [{ upstream: "native" }] },
						{ name: "alias", targets: [{ upstream: "native", model: "gpt-5-real" }] },
						{ name: "other", targets: [{ upstream: "chat" }] },
						{ name: "mine", targets: [{ upstream: "own" }] },
					],
				},
			},
		],
	});
	chat.answer(chatAnswer);
});
afterAll(async () => {
	await gateway.stop();
	await native.stop();
	await chat.stop();
});
afterEach(() => {
	native.received.length = 0;
	chat.received.length = 0;
});

const ask = (body: unknown) => gateway.ask("/v1/responses", body);
const client = (key = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
const inputSent = (upstream: ScriptedUpstream): unknown => {
	const sent = upstream.received.at(-1)?.json as { input?: unknown; messages?: unknown };
	return sent.input ?? sent.messages;
};

let serial = 0;
const message = (text: string) => ({
	id: `msg_up${serial}`,
	type: "message",
	role: "assistant",
	status: "completed",
	content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const usage = {
	input_tokens: 3,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: 2,
	output_tokens_details: { reasoning_tokens: 0 },
	total_tokens: 5,
};
const responseOf = (text: string, model = "gpt-5", id = `resp_up${++serial}`) => ({
	id,
	object: "response",
	created_at: 1_700_000_000,
	status: "completed",
	model,
	output: [message(text)],
	previous_response_id: null,
	usage,
});
const event = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

/** The events of an answer as OpenAI sends them, one piece each. */
const eventsOf = (text: string, model = "gpt-5"): string[] => {
	const response = responseOf(text, model);
	const item = response.output[0] ?? message(text);
	const at = { item_id: item.id, output_index: 0, content_index: 0 };
	const part = { type: "output_text", annotations: [], logprobs: [] };
	const opened = { ...response, status: "in_progress", output: [], usage: null };
	return [
		event("response.created", { sequence_number: 0, response: opened }),
		event("response.output_item.added", {
			sequence_number: 1,
			output_index: 0,
			item: { ...item, status: "in_progress", content: [] },
		}),
		event("response.content_part.added", { sequence_number: 2, ...at, part: { ...part, text: "" } }),
		event("response.output_text.delta", { sequence_number: 3, ...at, delta: text, logprobs: [] }),
		event("response.output_text.done", { sequence_number: 4, ...at, text, logprobs: [] }),
		event("response.content_part.done", { sequence_number: 5, ...at, part: { ...part, text } }),
		event("response.output_item.done", { sequence_number: 6, output_index: 0, item }),
		event("response.completed", { sequence_number: 7, response }),
	];
};

const chatAnswer = (): Response =>
	Response.json({
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1_700_000_000,
		model: "other",
		choices: [{ index: 0, message: { role: "assistant", content: "From afar." }, finish_reason: "stop" }],
		usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
	});

test("the plugin keeps to the contract of plugins", async () => {
	expect(await checkPlugin(import.meta.dir)).toEqual([]);
});

describe("going on by id", () => {
	test("works over an upstream of this protocol, streamed or not, and says so", async () => {
		native.answer(() => streamOf(eventsOf("One.")));
		const first = await client().responses.stream({ model: "gpt-5", input: "1" }).finalResponse();
		native.answer(() => Response.json(responseOf("Two.")));
		const second = await client().responses.create({ model: "gpt-5", input: "2", previous_response_id: first.id });
		expect(inputSent(native)).toMatchObject([{ content: "1" }, { content: [{ text: "One." }] }, { content: "2" }]);
		expect(native.received.at(-1)?.text).not.toContain("previous_response_id");
		expect(second.previous_response_id).toBe(first.id);
		native.answer(() => streamOf(eventsOf("Three.")));
		const third = await client()
			.responses.stream({ model: "gpt-5", input: "3", previous_response_id: second.id })
			.finalResponse();
		expect(third.previous_response_id).toBe(second.id);
		expect(inputSent(native)).toHaveLength(5);
	});

	test("works over an upstream that never heard of it, and from one upstream to the other", async () => {
		const first = await client().responses.create({ model: "other", input: "1" });
		expect(first.output_text).toBe("From afar.");
		expect(first).toMatchObject({ store: true, previous_response_id: null });
		const second = await client().responses.create({ model: "other", input: "2", previous_response_id: first.id });
		expect(inputSent(chat)).toMatchObject([{ content: "1" }, { content: "From afar." }, { content: "2" }]);
		expect(second.previous_response_id).toBe(first.id);
		native.answer(() => Response.json(responseOf("Home.")));
		await client().responses.create({ model: "gpt-5", input: "3", previous_response_id: second.id });
		expect(inputSent(native)).toHaveLength(5);
	});

	test("streams to the client at once and is there when the stream has ended", async () => {
		chat.answer(() =>
			streamOf([
				'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}\n\n',
				'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
				"data: [DONE]\n\n",
			]),
		);
		const text = await (await ask({ model: "other", input: "1", stream: true })).text();
		expect(responsesFaults(text)).toEqual([]);
		const id = String(eventsIn(text).at(-1)?.response["id"]);
		expect((await gateway.ask(`/v1/responses/${id}`)).status).toBe(200);
		chat.answer(chatAnswer);
	});

	test("an id of another token is not found, whatever the upstream would say", async () => {
		native.answer(() => Response.json(responseOf("Mine.")));
		const mine = await client().responses.create({ model: "gpt-5", input: "1" });
		const stranger = client((await gateway.token()).key);
		const before = native.received.length;
		const failure = await stranger.responses
			.create({ model: "gpt-5", input: "2", previous_response_id: mine.id })
			.catch((error: unknown) => error);
		expect(failure).toMatchObject({ status: 400, code: "previous_response_not_found", param: "previous_response_id" });
		expect(native.received).toHaveLength(before);
		expect(await stranger.responses.retrieve(mine.id).catch((error: unknown) => error)).toMatchObject({ status: 404 });
	});

	test("an id of nobody here goes to an upstream of the client's own as it came, and to no other", async () => {
		native.answer(() => Response.json(responseOf("I know it.")));
		await client().responses.create({ model: "mine", input: "2", previous_response_id: "resp_elsewhere" });
		expect(native.received.at(-1)?.json).toMatchObject({ input: "2", previous_response_id: "resp_elsewhere" });
		const asked = native.received.length;
		for (const model of ["gpt-5", "other"]) {
			const failure = await client()
				.responses.create({ model, input: "2", previous_response_id: "resp_elsewhere" })
				.catch((error: unknown) => error);
			expect(failure).toMatchObject({ status: 400, code: "previous_response_not_found" });
		}
		expect(native.received).toHaveLength(asked);
	});
});

describe("a deleted answer", () => {
	const make = async (id: string, model: string) => {
		native.answer(() => Response.json({ ...responseOf("Kept."), id }));
		return await client().responses.create({ model, input: "Keep this." });
	};
	const failureOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error);

	test.each(["gpt-5", "mine"])("is deleted at its upstream, and stays known as deleted (%s)", async (model) => {
		const { id, output } = await make(`resp_deleted_${model}`, model);
		native.answer(() => Response.json({ id, object: "response", deleted: true }));
		await client().responses.delete(id);
		expect(native.received.at(-1)).toMatchObject({ method: "DELETE", path: `/v1/responses/${id}` });
		expect(native.received.at(-1)?.headers.get("authorization")).toBe("Bearer up-key");
		const asked = native.received.length;
		const goOn = client().responses.create({ model: "mine", input: "2", previous_response_id: id });
		expect(await failureOf(goOn)).toMatchObject({ status: 400, code: "previous_response_not_found" });
		const refer = client().responses.create({
			model: "mine",
			input: [{ type: "item_reference", id: output[0]?.id ?? "" }],
		});
		expect(await failureOf(refer)).toMatchObject({ status: 404 });
		expect(await failureOf(client().responses.delete(id))).toMatchObject({ status: 404 });
		expect(native.received).toHaveLength(asked);
	});

	test("stays when its upstream cannot delete it now, so that it can be tried again", async () => {
		const { id } = await make("resp_undeleted", "gpt-5");
		native.answer(() => new Response("no", { status: 500 }));
		const failing = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
		expect(await failureOf(failing.responses.delete(id))).toMatchObject({ status: 502 });
		expect((await client().responses.retrieve(id)).output_text).toBe("Kept.");
		native.answer(() => new Response("none", { status: 404 }));
		await client().responses.delete(id);
		expect(await failureOf(client().responses.retrieve(id))).toMatchObject({ status: 404 });
	});

	test("that another protocol's upstream gave is deleted here alone", async () => {
		const { id } = await client().responses.create({ model: "other", input: "x" });
		const asked = [native.received.length, chat.received.length];
		await client().responses.delete(id);
		expect([native.received.length, chat.received.length]).toEqual(asked);
	});
});

test("a kept answer can be read, listed and forgotten", async () => {
	native.answer(() => Response.json(responseOf("Kept.")));
	const made = await client().responses.create({ model: "gpt-5", input: "Keep this." });
	expect((await client().responses.retrieve(made.id)).output_text).toBe("Kept.");
	const items = await client().responses.inputItems.list(made.id);
	expect(items.data).toMatchObject([{ type: "message", content: [{ type: "input_text", text: "Keep this." }] }]);
	await client().responses.delete(made.id);
	expect(
		await client()
			.responses.retrieve(made.id)
			.catch((error: unknown) => error),
	).toMatchObject({ status: 404 });
});

test("an alias is put back in the answer, streamed and not, and stays in what is kept", async () => {
	native.answer(() => Response.json(responseOf("x", "gpt-5-real")));
	const whole = await client().responses.create({ model: "alias", input: "1" });
	expect(whole.model).toBe("alias");
	expect((await client().responses.retrieve(whole.id)).model).toBe("alias");
	native.answer(() => streamOf(eventsOf("y", "gpt-5-real")));
	const text = await (await ask({ model: "alias", input: "1", stream: true })).text();
	expect(text).not.toContain("gpt-5-real");
	expect(responsesFaults(text)).toEqual([]);
});

test("bytes pass through untouched", async () => {
	const text = eventsOf("One.").join("");
	native.answer(() => streamOf([text]));
	const body = '{ "model":"gpt-5" ,"input":"1","stream":true,"temperature":1.0,"x":1e2}';
	const response = await fetch(`${gateway.url}/responses`, {
		method: "POST",
		headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
		body,
	});
	expect(await response.text()).toBe(text);
	expect(native.received.at(-1)).toMatchObject({ path: "/v1/responses", text: body });
	expect(native.received.at(-1)?.headers.get("authorization")).toBe("Bearer up-key");
});

test("an upstream that breaks off in the middle is a failed response with what had come", async () => {
	native.answer(() => streamOf(eventsOf("Half").slice(0, 4)));
	const text = await (await ask({ model: "gpt-5", input: "1", stream: true })).text();
	expect(responsesFaults(text)).toEqual([]);
	const last = eventsIn(text).at(-1);
	expect(last).toMatchObject({
		type: "response.failed",
		sequence_number: 4,
		response: { status: "failed", error: { code: "server_error" }, output: [{ content: [{ text: "Half" }] }] },
	});
});

test("what is not supported is refused in OpenAI's shape", async () => {
	const cases = [
		[await ask({ model: "other", input: "x", background: true }), 400, "unsupported"],
		[await ask({ model: "other", input: "x", conversation: "conv_1" }), 400, "unsupported"],
		[await ask({ model: "other", input: [{ type: "item_reference", id: "rs_x" }] }), 404, "not_found"],
		[await ask({ model: "nothing", input: "x" }), 404, "model_not_found"],
		[await ask({ model: "gpt-5" }), 400, "missing_required_parameter"],
		[await gateway.ask("/v1/responses/resp_x/cancel", {}), 404, "not_found"],
	] as const;
	for (const [response, status, code] of cases) {
		expect(response.status).toBe(status);
		expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", code } });
	}
});

test("a client that tries a socket is told at once to use POST", async () => {
	const direct = { upgrade: "websocket", connection: "upgrade" };
	const throughProxy = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };
	for (const path of ["/v1/responses", "/responses"])
		for (const headers of [direct, throughProxy]) {
			const response = await fetch(gateway.url + path, { headers });
			expect(response.status).toBe(426);
			expect(response.headers.get("upgrade")).toBe("HTTP/1.1");
			expect(await response.json()).toMatchObject({ error: { code: "upgrade_not_supported" } });
		}
	expect((await fetch(`${gateway.url}/v1/responses`)).status).toBe(405);
});

test("tokens are counted by the upstream that can", async () => {
	native.answer(() => Response.json({ object: "response.input_tokens", input_tokens: 7 }));
	const counted = await client().responses.inputTokens.count({ model: "gpt-5", input: "Hello" });
	expect(counted.input_tokens).toBe(7);
	expect(native.received.at(-1)?.path).toBe("/v1/responses/input_tokens");
	const estimated = await client().responses.inputTokens.count({ model: "other", input: "Hello" });
	expect(estimated).toMatchObject({ object: "response.input_tokens" });
	expect(estimated.input_tokens).toBeGreaterThan(0);
});

test("values of another provider's model do not reach an upstream that could not read them", async () => {
	native.answer(() => Response.json(responseOf("x")));
	await ask({
		model: "gpt-5",
		input: [
			{ role: "user", content: "1" },
			{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "portico.messages.claude.thinking.sig" },
			{ type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAA" },
			{ role: "user", content: "2" },
		],
	});
	expect(inputSent(native)).toMatchObject([{ content: "1" }, { id: "rs_2" }, { content: "2" }]);
});
