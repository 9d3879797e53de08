/** Promise: an upstream that tells what it wrote and not what it read makes no input free of charge. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { streamOf } from "#core/testing";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

const words = "read me ".repeat(100);
/** No tokenizer makes fewer of these words than one for every eight bytes. */
const leastInput = words.length / 8;

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const message = { id: "m", type: "message", role: "assistant", model: "a" };

/** A stream as such servers write it: zeros at the start, the output alone at the end. */
const messageStream = (): Response =>
	streamOf([
		event("message_start", { message: { ...message, content: [], usage: { input_tokens: 0, output_tokens: 0 } } }),
		event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
		event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello" } }),
		event("content_block_stop", { index: 0 }),
		event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } }),
		event("message_stop", {}),
	]);

const answers: readonly (readonly [model: string, stream: boolean, answer: () => Response])[] = [
	["messages-a", true, messageStream],
	[
		"messages-a",
		false,
		() =>
			Response.json({
				...message,
				content: [{ type: "text", text: "Hello" }],
				stop_reason: "end_turn",
				usage: { output_tokens: 10 },
			}),
	],
	[
		"generate-content-a",
		false,
		() =>
			Response.json({
				candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP", index: 0 }],
				usageMetadata: { candidatesTokenCount: 10 },
			}),
	],
	[
		"chat-completions-a",
		false,
		() =>
			Response.json({
				id: "c",
				object: "chat.completion",
				choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
				usage: { prompt_tokens: 0, completion_tokens: 10, total_tokens: 10 },
			}),
	],
];

test.each(answers)("%s, streamed: %p", async (model, stream, answer) => {
	world.upstream.answer(answer);
	for (const path of ["/v1/messages", "/v1/chat/completions"]) {
		const { key } = await world.gateway.token({ quota: 10 });
		const body = { model, max_tokens: 100, stream, messages: [{ role: "user", content: words }] };
		const response = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Hello")]);
		expect(await world.used(key)).toBeGreaterThan(10 * rates.output + leastInput * rates.input);
	}
});
