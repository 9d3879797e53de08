/** Promise: a search or a run of code at the upstream is held for, also where it is asked for as a function or by a field of one vendor's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
});
afterAll(() => world.stop());

const messages = [{ role: "user", content: "x" }];
const ways = {
	chat: ["/v1/chat/completions", { model: "chat-completions-a", max_tokens: 16, messages }],
	responses: ["/v1/responses", { model: "responses-a", max_output_tokens: 16, input: "x" }],
	messages: ["/v1/messages", { model: "messages-a", max_tokens: 16, messages }],
	gemini: [
		"/v1beta/models/chat-completions-a:generateContent",
		{ contents: [{ parts: [{ text: "x" }] }], generationConfig: { maxOutputTokens: 16 } },
	],
} as const;

/** Enough for what is written, and for no search. */
const little = 0.02;

const ask = async (way: keyof typeof ways, more: object) => {
	world.upstream.received.length = 0;
	const { key } = await world.gateway.token({ quota: little });
	const headers = { authorization: `Bearer ${key}` };
	const response = await world.gateway.ask(ways[way][0], { ...ways[way][1], ...more }, { headers });
	return await response.text();
};

const named = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });

test.each<[keyof typeof ways, object]>([
	...["googleSearch", "codeExecution", "urlContext"].flatMap((name): [keyof typeof ways, object][] => [
		["chat", { tools: [named(name)] }],
		["responses", { tools: [{ type: "function", name, parameters: {} }] }],
		["messages", { tools: [{ name, input_schema: { type: "object" } }] }],
		["gemini", { tools: [{ functionDeclarations: [{ name }] }] }],
	]),
	...[
		"googleSearch",
		"google_search_retrieval",
		"enterpriseWebSearch",
		"url_context",
		"codeExecution",
		"googleMaps",
	].map((name): [keyof typeof ways, object] => ["chat", { tools: [{ [name]: {} }] }]),
	["chat", { tools: [{ ...named("f"), googleSearch: {} }] }],
	["responses", { tools: [{ googleSearch: {} }] }],
	["chat", { enable_enhancement: true }],
	["chat", { force_search_enhancement: true }],
	["chat", { venice_parameters: { enable_web_search: "auto" } }],
	["chat", { venice_parameters: { enable_x_search: true } }],
	["chat", { enable_code_interpreter: true }],
])("%s: %j is held for", async (way, more) => {
	expect(await ask(way, more)).toContain("quota");
	expect(world.upstream.received).toEqual([]);
});

test.each<[keyof typeof ways, object]>([
	["chat", { tools: [named("search"), named("google_search"), named("web_search")] }],
	["chat", { tools: [{ ...named("f"), strict: true, cache_control: { type: "ephemeral" } }] }],
	["chat", { tools: [{ type: "custom", custom: { name: "search" } }] }],
	["messages", { tools: [{ name: "search", input_schema: { type: "object" }, defer_loading: true }] }],
	["chat", { enable_enhancement: false, venice_parameters: { enable_web_search: "off", character_slug: "c" } }],
])("%s: %j is the client's own, and costs what it says", async (way, more) => {
	await ask(way, more);
	expect(world.upstream.received).toHaveLength(1);
});
