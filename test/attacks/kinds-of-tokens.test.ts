/** Promise: tokens that cost otherwise (sound, films, what a cache holds of them) are charged at their own rates, to the micro-dollar. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

const caches = { cacheRead: 0.03, cacheReadAudio: 0.1, cacheWrite: 2, cacheWriteLong: 5 };
const price = { input: 0.3, output: 2.5, ...caches, inputAudio: 1, inputVideo: 0.6 };

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ plugins: [{ use: "prices", with: { models: { "*": price } } }] });
});
afterAll(() => world.stop());

const details = (counts: Readonly<Record<string, number>>) =>
	Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));

/** As Gemini tells it of a film with its sound, most of which a cache holds. */
const usageMetadata = {
	promptTokenCount: 17_713,
	promptTokensDetails: details({ TEXT: 17, VIDEO: 297, AUDIO: 17_399 }),
	cachedContentTokenCount: 17_379,
	cacheTokensDetails: details({ TEXT: 16, AUDIO: 17_363 }),
	candidatesTokenCount: 68,
	totalTokenCount: 17_781,
};
/** One token of text, 297 of the film and 36 of its sound are new. */
const cost = Math.ceil(0.3 + 297 * 0.6 + 36 * 1 + 16 * 0.03 + 17_363 * 0.1 + 68 * 2.5);

const candidate = { content: { role: "model", parts: [{ text: "A cat." }] }, finishReason: "STOP", index: 0 };
const answer = JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: "m" });

const words = "x".repeat(20_000);
test.each([
	["/v1beta/models/generate-content-a:generateContent", { contents: [{ role: "user", parts: [{ text: words }] }] }],
	[
		"/v1beta/models/generate-content-a:streamGenerateContent?alt=sse",
		{ contents: [{ role: "user", parts: [{ text: words }] }] },
	],
	["/v1/chat/completions", { model: "generate-content-a", messages: [{ role: "user", content: words }] }],
	["/v1/messages", { model: "generate-content-a", max_tokens: 100, messages: [{ role: "user", content: words }] }],
])("%s: sound and film, new and from a cache", async (path, body) => {
	world.upstream.answer(({ path: at }) =>
		at.includes("stream")
			? new Response(`data: ${answer}\n\n`, { headers: { "content-type": "text/event-stream" } })
			: new Response(answer, { headers: { "content-type": "application/json" } }),
	);
	const { key } = await world.gateway.token({ quota: 1 });
	const headers = { authorization: `Bearer ${key}`, "x-goog-api-key": key };
	const response = await world.gateway.ask(path, body, { headers });
	expect(response.status).toBe(200);
	await response.text();
	expect(await world.used(key)).toBe(cost);
});

test("a film told by a server that speaks as OpenAI's", async () => {
	const usage = {
		prompt_tokens: 500,
		completion_tokens: 10,
		total_tokens: 510,
		prompt_tokens_details: { video_tokens: 400, audio_tokens: 50 },
	};
	const choices = [{ index: 0, message: { role: "assistant", content: "A cat." }, finish_reason: "stop" }];
	world.upstream.answer(() =>
		Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage }),
	);
	const { key } = await world.gateway.token({ quota: 1 });
	const body = { model: "chat-completions-a", messages: [{ role: "user", content: words }] };
	const headers = { authorization: `Bearer ${key}` };
	const response = await world.gateway.ask("/v1/chat/completions", body, { headers });
	await response.text();
	expect(await world.used(key)).toBe(400 * 0.6 + 50 + 50 * 0.3 + 10 * 2.5);
});

test.each([
	["5m", {}, 2],
	["1h", {}, 5],
	["1h", { cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 } }, 2],
	["1h", { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 400 } }, 5],
])("what is written to a cache for %s and told with %j", async (ttl, told, rate) => {
	const content = [{ type: "text", text: words, cache_control: { type: "ephemeral", ttl } }];
	const messages = [{ role: "user", content }];
	const choices = [{ index: 0, message: { role: "assistant", content: "A cat." }, finish_reason: "stop" }];
	const usage = { prompt_tokens: 500, completion_tokens: 10, prompt_tokens_details: { cache_write_tokens: 400 } };
	const count = { input_tokens: 100, cache_creation_input_tokens: 400, output_tokens: 10, ...told };
	const message = {
		id: "m",
		type: "message",
		role: "assistant",
		model: "m",
		content: [{ type: "text", text: "A cat." }],
	};
	world.upstream.answer(({ path }) =>
		path.endsWith("/messages")
			? Response.json({ ...message, stop_reason: "end_turn", usage: count })
			: Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage }),
	);
	const isTold = Object.keys(told).length > 0;
	for (const protocol of isTold ? ["messages"] : ["messages", "chat-completions"])
		for (const settings of [{ quota: 1 }, {}]) {
			const { key } = await world.gateway.token(settings);
			const headers = { authorization: `Bearer ${key}` };
			const body = { model: `${protocol}-a`, max_tokens: 100, messages };
			const response = await world.gateway.ask(`/v1/${protocol.replace("-", "/")}`, body, { headers });
			await response.text();
			expect(await world.used(key)).toBe(400 * rate + 100 * 0.3 + 10 * 2.5);
		}
});

test.each([
	[{ mode: "explicit" }, 2],
	[{ ttl: "5m" }, 2],
	[{ ttl: "30m" }, 5],
	[{ ttl: "1h" }, 5],
	[{ ttl: "12h" }, 5],
])("what a mark of Responses (%j) has Claude write to its cache", async (mark, rate) => {
	world.upstream.answer(() =>
		Response.json({
			...{ id: "m", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
			content: [{ type: "text", text: "A cat." }],
			usage: { input_tokens: 100, cache_creation_input_tokens: 400, output_tokens: 10 },
		}),
	);
	const content = [{ type: "input_text", text: words, prompt_cache_breakpoint: mark }];
	for (const settings of [{ quota: 1 }, {}]) {
		const { key } = await world.gateway.token(settings);
		const headers = { authorization: `Bearer ${key}` };
		const body = { model: "messages-a", max_output_tokens: 100, store: false, input: [{ role: "user", content }] };
		const response = await world.gateway.ask("/v1/responses", body, { headers });
		await response.text();
		expect(await world.used(key)).toBe(400 * rate + 100 * 0.3 + 10 * 2.5);
	}
});

test.each([
	[{}, {}, 2],
	[{ ttl: "30m" }, {}, 2],
	[{ ttl: "12h" }, {}, 5],
	[{ ttl: "12h" }, { ttl_12h_tokens: 0, ttl_30m_tokens: 400 }, 2],
	[{}, { ttl_12h_tokens: 400, ttl_30m_tokens: 0 }, 5],
])("what OpenAI writes to its cache by the options %j and tells with %j", async (options, told, rate) => {
	const input_tokens_details = {
		cached_tokens: 0,
		cache_write_tokens: 400,
		...(Object.keys(told).length > 0 && { cache_write_tokens_details: told }),
	};
	world.upstream.answer(() =>
		Response.json({
			...{ id: "r", object: "response", status: "completed", model: "m", output: [] },
			usage: { input_tokens: 500, input_tokens_details, output_tokens: 10, total_tokens: 510 },
		}),
	);
	for (const settings of [{ quota: 1 }, {}]) {
		const { key } = await world.gateway.token(settings);
		const headers = { authorization: `Bearer ${key}` };
		const body = { model: "responses-a", max_output_tokens: 100, input: words, prompt_cache_options: options };
		await (await world.gateway.ask("/v1/responses", body, { headers })).text();
		expect(await world.used(key)).toBe(400 * rate + 100 * 0.3 + 10 * 2.5);
	}
});
