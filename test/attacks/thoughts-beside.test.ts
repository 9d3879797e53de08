/** Promise: thoughts that a vendor's limit does not count are held, and charged, as what is written is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

interface Asked {
	readonly max_tokens: number;
	readonly stream?: boolean;
	readonly enable_thinking?: boolean;
	readonly thinking_budget?: number;
	readonly thinking?: { readonly type: string };
}

/** The most that any model thinks there. */
const most = 81_920;
const usual = 30_000;
/** Alibaba and SiliconFlow read one word, ByteDance another; a budget of nothing is none. */
const thoughtsOf = (
	path: string,
	{ max_tokens: limit, enable_thinking: enabled, thinking_budget: budget, thinking }: Asked,
) => {
	// New API lets a Claude of this name write no less than this.
	if (path.startsWith("/new-api")) return Math.max(0, 1280 - limit);
	if (path.startsWith("/tencent")) return usual;
	if (path.startsWith("/volcengine")) return thinking?.type === "disabled" ? 0 : usual;
	return enabled === false ? 0 : Math.min(usual, budget || usual);
};

const router = (url: string) => {
	const alibaba = { key: "k", vendor: "dashscope" };
	const upstreams = [
		{ ...alibaba, name: "chat", protocol: "chat-completions", url: `${url}/v1` },
		{ ...alibaba, name: "claude", protocol: "messages", url },
		...["volcengine", "siliconflow", "new-api", "tencent"].map((vendor) => ({
			...{ name: vendor, key: "k", vendor, protocol: "chat-completions" },
			url: `${url}/${vendor}/v1`,
		})),
	];
	const models = [
		{ name: "claude-*", targets: [{ upstream: "new-api" }] },
		{ name: "qwen3.7-max", targets: [{ upstream: "chat" }] },
		{ name: "qwen-claude", targets: [{ upstream: "claude" }] },
		{ name: "doubao-seed-2", targets: [{ upstream: "volcengine" }] },
		{ name: "silicon/qwen3-32b", targets: [{ upstream: "siliconflow" }] },
		{ name: "deepseek-r1-0528", targets: [{ upstream: "tencent" }] },
	];
	return { upstreams, models };
};

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ router });
	world.upstream.answer(({ json, path }) => {
		const asked = json as Asked;
		if (path === "/v1/messages")
			return Response.json({
				id: "m",
				type: "message",
				role: "assistant",
				model: "qwen-claude",
				content: [{ type: "text", text: "Hello" }],
				stop_reason: "max_tokens",
				usage: { input_tokens: 10, output_tokens: asked.max_tokens },
			});
		const thoughts = thoughtsOf(path, asked);
		const counts = { prompt_tokens: 10, completion_tokens: thoughts + asked.max_tokens };
		const usage = { ...counts, completion_tokens_details: { reasoning_tokens: thoughts } };
		const answer = { id: "c", created: 1, model: "qwen3.7-max" };
		const message = { role: "assistant", content: "Hello" };
		if (!asked.stream)
			return Response.json({
				...answer,
				object: "chat.completion",
				choices: [{ index: 0, message, finish_reason: "length" }],
				usage,
			});
		const chunk = (more: object): string =>
			`data: ${JSON.stringify({ ...answer, object: "chat.completion.chunk", ...more })}\n\n`;
		const piece = chunk({ choices: [{ index: 0, delta: { reasoning_content: "so " }, finish_reason: null }] });
		const end = chunk({ choices: [{ index: 0, delta: message, finish_reason: "length" }] });
		const text = `${piece.repeat(100)}${end}${chunk({ choices: [], usage })}data: [DONE]\n\n`;
		return new Response(text, { headers: { "content-type": "text/event-stream" } });
	});
});
afterAll(() => world.stop());

const ask = (quota: number, more: object = {}, path = "/v1/chat/completions") =>
	world.askOnce(quota, path, {
		model: "qwen3.7-max",
		messages: [{ role: "user", content: "Hi" }],
		max_tokens: 16,
		...more,
	});

const wholly = (thoughts: number) => ({
	outputTokens: 16 + thoughts,
	cost: (10 * rates.input + (16 + thoughts) * rates.output) / 1e6,
	excess: 0,
});
const enough = (most * rates.output) / 1e6 + 0.01;

test.each<[string, Partial<Asked>, string]>([
	["whole", {}, "/v1/chat/completions"],
	["streamed, which is not cut amid its thoughts", { stream: true }, "/v1/chat/completions"],
	["for a client of another protocol", {}, "/v1/messages"],
])("are charged: %s", async (_name, more, path) => {
	const { status, text, call } = await ask(enough, more, path);
	expect(status).toBe(200);
	expect(text).toContain("Hello");
	expect(call).toMatchObject(wholly(usual));
	expect((await ask(enough - 0.02, more, path)).status).toBeGreaterThan(400);
});

test("what the request says of them holds less", async () => {
	for (const [more, thoughts] of [
		[{ enable_thinking: false }, 0],
		[{ thinking_budget: 1_000 }, 1_000],
	] as const) {
		const { status, call } = await ask((thoughts * rates.output) / 1e6 + 0.01, more);
		expect(status).toBe(200);
		expect(call).toMatchObject(wholly(thoughts));
	}
});

test("and so does thinking that is switched off in Anthropic's words", async () => {
	const call = (more: object) => ask(0.01, { model: "qwen-claude", ...more }, "/v1/messages");
	expect((await call({})).status).toBe(402);
	const { status, call: row } = await call({ thinking: { type: "disabled" } });
	expect(status).toBe(200);
	expect(row).toMatchObject(wholly(0));
});

test("what another vendor's word says of them holds no less", async () => {
	for (const more of [
		{ thinking: { type: "disabled" } },
		{ thinking_budget: 0 },
		{ model: "doubao-seed-2", enable_thinking: false },
		{ model: "doubao-seed-2", thinking_budget: 1 },
		{ model: "silicon/qwen3-32b" },
		{ model: "silicon/qwen3-32b", thinking: { type: "disabled" } },
		{ model: "deepseek-r1-0528", thinking: { type: "disabled" } },
		{ model: "deepseek-r1-0528", enable_thinking: false },
	]) {
		expect((await ask(0.01, more)).status).toBe(429);
		const { status, call } = await ask(enough, more);
		expect(status).toBe(200);
		expect(call).toMatchObject(wholly(usual));
	}
});

test("its own word does", async () => {
	for (const more of [
		{ model: "doubao-seed-2", thinking: { type: "disabled" } },
		{ model: "silicon/qwen3-32b", enable_thinking: false },
	])
		expect((await ask(0.01, more)).call).toMatchObject(wholly(0));
});

test("what New API lets a Claude write that it makes think is held, and charged, whatever its limit", async () => {
	for (const more of [{}, { enable_thinking: false }, { thinking_budget: 1 }, { stream: true }]) {
		const asked = { model: "claude-sonnet-4-5-20250929-thinking", max_tokens: 1, ...more };
		const { status, call } = await ask(0.02, asked);
		expect(status).toBe(200);
		expect(call).toMatchObject({ outputTokens: 1280, cost: (10 * rates.input + 1280 * rates.output) / 1e6, excess: 0 });
		expect((await ask(0.01, asked)).status).toBeGreaterThan(400);
	}
});
