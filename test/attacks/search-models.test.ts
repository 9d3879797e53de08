/** Promise: a model that searches the web at each call costs its search, whether or not the request asks or the answer cites. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { streamOf } from "#core/testing";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { searches: "always" } });
});
afterAll(() => world.stop());

/** 10 tokens in at 1 micro-dollar, 2 out at 10, and a search at $0.035. */
const charge = 10 * 1 + 2 * 10 + 35_000;
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const answer = { id: "c", object: "chat.completion", created: 1, model: "chat-completions-a", usage };
const messages = [{ role: "user", content: "Hi" }];

const ask = async (path: string, body: object, quota?: number) => {
	world.upstream.received.length = 0;
	world.upstream.answer(({ json }) => {
		const { stream } = json as { readonly stream?: boolean };
		const cut = { index: 0, finish_reason: "length" };
		if (!stream) return Response.json({ ...answer, choices: [{ ...cut, message: { content: "He" } }] });
		const event = (more: object) => `data: ${JSON.stringify({ ...answer, usage: null, ...more })}\n\n`;
		return streamOf([
			event({ choices: [{ ...cut, delta: { content: "He" } }] }),
			event({ choices: [], usage }),
			"data: [DONE]\n\n",
		]);
	});
	const { key } = await world.gateway.token(quota === undefined ? {} : { quota });
	const response = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
	await response.text();
	return { status: response.status, used: await world.used(key) };
};

const ways: readonly (readonly [path: string, body: object])[] = [
	["/v1/chat/completions", { messages, max_tokens: 16 }],
	["/v1/chat/completions", { messages, max_tokens: 16, stream: true }],
	["/v1/chat/completions", { messages, max_tokens: 16, web_search_options: {} }],
	["/v1/messages", { messages, max_tokens: 16 }],
	["/v1/messages", { messages, max_tokens: 16, stream: true }],
	["/v1/responses", { input: "Hi", max_output_tokens: 16 }],
];

test.each([...ways])("%s %j, cut before it cites", async (path, body) => {
	const asked = { ...body, model: "chat-completions-a" };
	expect(await ask(path, asked)).toEqual({ status: 200, used: charge });
	expect(await ask(path, asked, 2)).toEqual({ status: 200, used: charge });
	expect([402, 429]).toContain((await ask(path, asked, 0.02)).status);
	expect(world.upstream.received).toEqual([]);
});

test("a count of tokens searches nothing", async () => {
	const asked = { model: "chat-completions-a", messages };
	expect(await ask("/v1/messages/count_tokens", asked, 0.02)).toEqual({ status: 200, used: 0 });
});

test("OpenAI's are known by their names", async () => {
	const known = await attackWorld({
		plugins: [
			{
				use: "router",
				with: {
					upstreams: [{ name: "openai", protocol: "chat-completions", url: `${world.upstream.url}/v1`, key: "k" }],
					models: [{ name: "*", targets: [{ upstream: "openai" }] }],
				},
			},
		],
	});
	try {
		world.upstream.answer(() =>
			Response.json({ ...answer, choices: [{ index: 0, message: { content: "He" }, finish_reason: "length" }] }),
		);
		const used = async (name: string) => {
			const { key } = await known.gateway.token({ quota: 2 });
			const headers = { authorization: `Bearer ${key}` };
			const body = { model: name, messages, max_tokens: 16 };
			await (await known.gateway.ask("/v1/chat/completions", body, { headers })).text();
			return await known.used(key);
		};
		expect(await used("gpt-4o-search-preview")).toBe(charge);
		expect(await used("gpt-5-search-api")).toBe(charge);
		expect(await used("gpt-4o")).toBe(30);
		// OpenRouter's end of any model's name.
		expect(await used("gpt-4o:online")).toBe(charge);
		expect(await used("gpt-4o:Online")).toBe(charge);
		expect(await used("gpt-4o:nitro")).toBe(30);
		// New API's, gemini-balance's and Venice's ends.
		expect(await used("qwen-plus-internet")).toBe(charge);
		expect(await used("qwen-plus")).toBe(30);
		expect(await used("gemini-2.5-flash-search")).toBe(charge);
		expect(await used("llama-3.3-70b:enable_web_search=auto")).toBe(charge);
		expect(await used("llama-3.3-70b:character_slug=a&enable_web_search=on")).toBe(charge);
		expect(await used("llama-3.3-70b:enable_web_search=off")).toBe(30);
	} finally {
		await known.stop();
	}
});
