/** Promise: an answer that was predicted and comes otherwise is billed by the upstream, and held and charged here, whatever the limit says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { thinking: "none" } });
});
afterAll(() => world.stop());

const predicted = "word ".repeat(4_000);
const rejected = 4_000;
const usage = {
	prompt_tokens: 10,
	completion_tokens: 16 + rejected,
	total_tokens: 26 + rejected,
	completion_tokens_details: { rejected_prediction_tokens: rejected },
};
const billed = usage.prompt_tokens * rates.input + usage.completion_tokens * rates.output;

const ask = async (quota: number, more: object = {}) => {
	const { key } = await world.gateway.token({ quota });
	const body = {
		model: "chat-completions-a",
		messages: [{ role: "user", content: "Hi" }],
		max_tokens: 16,
		prediction: { type: "content", content: predicted },
		...more,
	};
	const headers = { authorization: `Bearer ${key}` };
	return { key, response: await world.gateway.ask("/v1/chat/completions", body, { headers }) };
};

test.each([
	["a text", predicted],
	["parts", [{ type: "text", text: predicted }]],
])("as %s", async (_name, content) => {
	world.upstream.answer(() =>
		Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "chat-completions-a",
			choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "length" }],
			usage,
		}),
	);
	const { key, response } = await ask(1, { prediction: { type: "content", content } });
	expect(response.status).toBe(200);
	expect(await world.used(key)).toBe(billed);
	world.upstream.received.length = 0;
	expect((await ask(0.1)).response.status).toBe(429);
	expect(world.upstream.received).toEqual([]);
});

test("who leaves early pays for what may have been rejected by then", async () => {
	const chunk = JSON.stringify({
		id: "c",
		object: "chat.completion.chunk",
		created: 1,
		model: "chat-completions-a",
		choices: [{ index: 0, delta: { role: "assistant", content: "Hello" }, finish_reason: null }],
	});
	world.upstream.answer(
		() =>
			new Response(
				new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(`data: ${chunk}\n\n`)) }),
				{ headers: { "content-type": "text/event-stream" } },
			),
	);
	const { key, response } = await ask(1, { stream: true });
	const reader = response.body?.getReader();
	await reader?.read();
	await reader?.cancel();
	expect(await world.used(key)).toBeGreaterThan(rejected * rates.output);
});
