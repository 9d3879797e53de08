/** Promise: who takes a picture or a sound out of a stream and leaves before its usage is told pays for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { thinking: "none" } });
});
afterAll(() => world.stop());

/** As many bytes as 2,000 tokens have, at 10 micro-dollars each. */
const data = "A".repeat(8_000);
const least = 20_000;
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object) =>
	event({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] });
const candidate = (mimeType: string) =>
	event({ candidates: [{ content: { role: "model", parts: [{ inlineData: { mimeType, data } }] } }] });

const messages = [{ role: "user", content: "Hi" }];
const asked = { messages, stream: true, max_tokens: 5_000 };
const url = `data:image/png;base64,${data}`;

test.each([
	["OpenRouter's picture", "/v1/chat/completions", chunk({ content: "", images: [{ image_url: { url } }] })],
	["Google's picture, translated", "/v1/chat/completions", candidate("image/png")],
	["Google's sound, translated", "/v1/chat/completions", candidate("audio/L16;rate=24000")],
] as const)("%s", async (name, path, told) => {
	const left = Promise.withResolvers<void>();
	world.upstream.answer(({ signal }) => {
		signal.addEventListener("abort", () => left.resolve());
		const body = new ReadableStream({
			start: (controller) => controller.enqueue(new TextEncoder().encode(told)),
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const { key } = await world.gateway.token({ quota: 5 });
	const client = new AbortController();
	const model = name.startsWith("Google") ? "generate-content-a" : "chat-completions-a";
	const headers = { authorization: `Bearer ${key}` };
	const response = await world.gateway.ask(path, { ...asked, model }, { headers, signal: client.signal });
	await response.body?.getReader().read();
	client.abort();
	await left.promise;
	const used = await world.used(key);
	expect(used).toBeGreaterThanOrEqual(least);
	// No more than was held: 5,000 tokens, and the few of the request.
	expect(used).toBeLessThan(51_000);
});
