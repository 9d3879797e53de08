/** The headers that tell a token with `explain` where an answer came from, in which attempt, and what it cost. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let key: string;

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "up",
	choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
	usage,
};
const events = [
	{
		...completion,
		object: "chat.completion.chunk",
		usage: undefined,
		choices: [{ index: 0, delta: { content: "hi" } }],
	},
	{ ...completion, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];
const stream = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"].join("");

beforeAll(async () => {
	upstream = startUpstream((request) => {
		if (request.path.includes("/broken/")) return Response.json({ error: { message: "down" } }, { status: 503 });
		if (request.path.includes("/embeddings"))
			return Response.json({
				object: "list",
				data: [{ object: "embedding", index: 0, embedding: [0.5] }],
				model: "up",
				usage: { prompt_tokens: 8, total_tokens: 8 },
			});
		const streams = asRecord(request.json)["stream"] === true;
		return streams
			? new Response(stream, { headers: { "content-type": "text/event-stream" } })
			: Response.json(completion);
	});
	const to = (name: string, path: string) => ({ name, protocol: "chat-completions", url: `${upstream.url}/${path}` });
	const leads = (name: string, model: string, ...upstreams: string[]) => ({
		name,
		targets: upstreams.map((one) => ({ upstream: one, model })),
	});
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"embeddings",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [to("broken", "broken/v1"), to("süd", "v1")],
					models: [leads("m", "up", "süd"), leads("saved", "up", "broken", "süd"), leads("free", "unpriced", "süd")],
				},
			},
		],
	});
	key = (await gateway.token({ name: "curious", explain: true })).key;
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const told = async (path: string, body: object, token = key) => {
	const headers = { authorization: `Bearer ${token}`, origin: "https://page.example" };
	const response = await gateway.ask(path, body, { headers });
	expect(response.status).toBe(200);
	await response.text();
	return ["target", "attempts", "cost"].map((word) => response.headers.get(`x-portico-${word}`));
};
const chat = (model: string, more = {}) => ({ model, messages: [{ role: "user", content: "hello" }], ...more });
const chatPath = "/v1/chat/completions";

describe("an answer tells", () => {
	test.each([
		["whole", chatPath, chat("m"), ["s%C3%BCd:up", "1", "0.000037"]],
		["after a fallback", chatPath, chat("saved"), ["s%C3%BCd:up", "2", "0.000037"]],
		["whole and translated", "/v1/messages", chat("m", { max_tokens: 9 }), ["s%C3%BCd:up", "1", "0.000037"]],
		["as a stream, its cost not known yet", chatPath, chat("saved", { stream: true }), ["s%C3%BCd:up", "2", null]],
		["of an endpoint", "/v1/embeddings", { model: "m", input: "hello" }, ["s%C3%BCd:up", "1", "0.000008"]],
		["without a known price", chatPath, chat("free"), ["s%C3%BCd:unpriced", "1", null]],
	])("%s", async (_what, path, body, expected) => expect(await told(path, body)).toEqual(expected));

	test("nothing to a token that did not ask for it", async () => {
		expect(await told(chatPath, chat("m"), gateway.key)).toEqual([null, null, null]);
		const { key: off } = await gateway.token({ name: "off", explain: false });
		expect(await told(chatPath, chat("m"), off)).toEqual([null, null, null]);
	});
});

test("the setting is yes or no", async () => {
	await expect(gateway.admin("POST", "/admin/tokens", { name: "x", explain: "often" })).rejects.toThrow("answered 400");
});
