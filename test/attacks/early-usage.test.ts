/** Promise: usage that an upstream tells before the words it wrote is a lower bound, whatever protocol the client speaks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { streamOf } from "#core/testing";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { thinking: "none" } });
});
afterAll(() => world.stop());

const chunk = (more: object): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "a", ...more })}\n\n`;
const usage = chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 1 } });
const words = Array.from({ length: 50 }, () => chunk({ choices: [{ index: 0, delta: { content: "some words " } }] }));
const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });

test.each([
	["before all of them", [usage, ...words, end]],
	["amid them", [...words.slice(0, 10), usage, ...words.slice(10), end]],
	["behind the end of the answer", [end, usage, ...words]],
])("%s", async (_, chunks) => {
	world.upstream.answer(() => streamOf([...chunks, "data: [DONE]\n\n"]));
	for (const path of ["/v1/chat/completions", "/v1/messages"]) {
		const { key } = await world.gateway.token({ quota: 10 });
		const body = {
			model: "chat-completions-a",
			max_tokens: 500,
			stream: true,
			messages: [{ role: "user", content: "Hi" }],
		};
		const response = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		await response.text();
		expect(await world.used(key)).toBeGreaterThanOrEqual(100 * rates.input + words.length * rates.output);
	}
});

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const delta = { index: 0, delta: { type: "text_delta", text: "some words " } };
const begun = [
	event("message_start", {
		message: { id: "m", role: "assistant", model: "a", content: [], usage: { input_tokens: 100, output_tokens: 1 } },
	}),
	event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
	...words.map(() => event("content_block_delta", delta)),
];
const ended = (usage: object): string[] => [
	event("content_block_stop", { index: 0 }),
	event("message_delta", { delta: { stop_reason: "end_turn" }, usage }),
	event("message_stop", {}),
];

/** The last two are told to clients that did not ask for a stream. */
test.each([
	["ends without a count of the output", true, [...begun, ...ended({})]],
	["ends with none that is a count", true, [...begun, ...ended({ output_tokens: null })]],
	["breaks off, of which the client is told a failure", false, begun],
	["ends in an error, of which the client is told a failure", false, [...begun, event("error", { error: {} })]],
])("a stream of Messages that %s", async (_, stream, events) => {
	world.upstream.answer(() => streamOf(events));
	for (const path of ["/v1/messages", "/v1/chat/completions"]) {
		const { key } = await world.gateway.token({ quota: 10 });
		const body = { model: "messages-a", max_tokens: 500, stream, messages: [{ role: "user", content: "Hi" }] };
		const response = await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		await response.text();
		expect(await world.used(key)).toBeGreaterThanOrEqual(100 * rates.input + words.length * rates.output);
	}
});
