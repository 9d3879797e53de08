/** Promise: a limit on searches that the upstream is not told, or does not know, makes none of them free. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
const searched = Array.from({ length: 10 }, (_, at) => `query ${at}`);
const tokens = { input_tokens: 50, output_tokens: 60, total_tokens: 110 };
const billed = 50 * rates.input + 60 * rates.output + 10 * 35_000;

const items = searched.map((query, at) => ({
	...{ type: "web_search_call", id: `ws_${at}`, status: "completed" },
	action: { type: "search", query },
}));
const answers: Readonly<Record<string, object>> = {
	"/v1/responses": {
		...{ id: "r", object: "response", status: "completed", model: "m", usage: tokens },
		output: [...items, { type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "A" }] }],
	},
	"/v1/messages": {
		...{ id: "m", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
		content: [{ type: "text", text: "A" }],
		usage: { ...tokens, server_tool_use: { web_search_requests: 10 } },
	},
	"/v1/chat/completions": {
		...{ id: "c", object: "chat.completion", created: 1, model: "m" },
		choices: [{ index: 0, message: { role: "assistant", content: "A" }, finish_reason: "stop" }],
		usage: {
			prompt_tokens: 50,
			completion_tokens: 60,
			total_tokens: 110,
			server_tool_use: { web_search_requests: 10 },
		},
	},
};
const gemini = {
	candidates: [
		{
			content: { parts: [{ text: "A" }] },
			finishReason: "STOP",
			groundingMetadata: { webSearchQueries: searched, groundingChunks: [{ web: { uri: "https://example.org" } }] },
		},
	],
	modelVersion: "gemini-3-pro",
	usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 60, totalTokenCount: 110 },
};

beforeAll(async () => {
	world = await attackWorld({ capabilities: { contextWindow: 20_000, searches: true } });
	world.upstream.answer(({ path }) => Response.json(answers[path] ?? gemini));
});
afterAll(() => world.stop());

const messages = [{ role: "user", content: "x" }];
const asks = {
	messages: {
		path: "/v1/messages",
		body: { max_tokens: 100, messages, tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 1 }] },
	},
	responses: {
		path: "/v1/responses",
		body: { max_output_tokens: 100, input: "x", max_tool_calls: 1, tools: [{ type: "web_search" }] },
	},
	chat: {
		path: "/v1/chat/completions",
		body: { max_tokens: 100, messages, web_search_options: { max_search_results: 1 } },
	},
	"a chat's tool": {
		path: "/v1/chat/completions",
		body: { max_tokens: 100, messages, tools: [{ type: "web_search", max_uses: 1 }] },
	},
} as const;

const ask = async (name: keyof typeof asks, model: string, quota: number) => {
	const { key } = await world.gateway.token({ quota });
	const { path, body } = asks[name];
	const response = await world.gateway.ask(path, { ...body, model }, { headers: { authorization: `Bearer ${key}` } });
	await response.text();
	return { status: response.status, used: await world.used(key) };
};

const lost: readonly (readonly [keyof typeof asks, string])[] = [
	["messages", "responses-a"],
	["messages", "generate-content-a"],
	["messages", "chat-completions-a"],
	["responses", "messages-a"],
	["responses", "generate-content-a"],
	["responses", "chat-completions-a"],
	["chat", "chat-completions-a"],
	["chat", "responses-a"],
	["chat", "messages-a"],
	["chat", "generate-content-a"],
	["a chat's tool", "chat-completions-a"],
];
describe("a limit that is lost", () => {
	test.each([...lost])("of %s at %s", async (name, model) => {
		expect(await ask(name, model, 10)).toEqual({ status: 200, used: billed });
		expect(await ask(name, model, 0.3)).toEqual({ status: expect.any(Number), used: 0 });
	});
});

test.each([
	["messages", "messages-a"],
	["responses", "responses-a"],
] as const)("of %s, which %s is told, is held by", async (name, model) => {
	expect((await ask(name, model, 0.1)).status).toBe(200);
});
