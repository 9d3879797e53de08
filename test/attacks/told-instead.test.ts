/** Promise: what stands in a few bytes of a request and is told a model of another protocol in a sentence is paid for as that sentence. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	/** As much as the words of what arrives, a token for five letters. */
	world.upstream.answer(({ text }) =>
		Response.json({
			...{ id: "c", object: "chat.completion", created: 1, model: "m" },
			choices: [{ index: 0, message: { role: "assistant", content: "A" }, finish_reason: "stop" }],
			usage: { prompt_tokens: Math.ceil(text.length / 5), completion_tokens: 1 },
		}),
	);
});
afterAll(() => world.stop());

const most = 3_000;
const many = (one: unknown): readonly unknown[] => Array.from({ length: most }, () => one);
const said = { role: "user", parts: [{ text: "Hi" }] };
const answered = (parts: readonly unknown[]) => [
	said,
	{ role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
	{ role: "user", parts: [{ functionResponse: { name: "f", response: {}, parts } }] },
];
const generationConfig = { maxOutputTokens: 1 };
const asks: readonly (readonly [string, object])[] = [
	["empty parts", { contents: [{ role: "user", parts: many({}) }] }],
	["parts of no kind", { contents: [{ role: "user", parts: many({ a: 1 }) }] }],
	["texts that are none", { contents: [{ role: "user", parts: many({ text: 5 }) }] }],
	["empty instructions", { contents: [said], systemInstruction: { parts: many({}) } }],
	["contents that are parts", { contents: many({}) }],
	["empty parts of a result", { contents: answered(many({})) }],
	["words for parts of a result", { contents: answered(many("a")) }],
];

test.each([...asks])("Gemini: %s", async (_name, body) => {
	const path = "/v1beta/models/chat-completions-a:generateContent";
	const { key } = await world.gateway.token({ quota: 10 });
	const headers = { authorization: `Bearer ${key}` };
	const before = world.upstream.received.length;
	const response = await world.gateway.ask(path, { ...body, generationConfig }, { headers });
	await response.text();
	if (response.status === 400) return;
	const sent = world.upstream.received[before]?.text ?? "";
	expect(await world.used(key)).toBe(Math.ceil(sent.length / 5) * rates.input + rates.output);
});
