/**
 * Promise: a tool that an upstream runs itself reaches nothing of the upstream's account that a client names, and no server
 * within the upstream's own network, whichever protocol it is named in.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());
beforeEach(() => {
	world.upstream.received.length = 0;
	world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
});

const messages = [{ role: "user", content: "x" }];
const ways = {
	chat: ["/v1/chat/completions", { model: "chat-completions-a", messages }],
	responses: ["/v1/responses", { model: "responses-a", input: "x" }],
	messages: ["/v1/messages", { model: "messages-a", max_tokens: 5, messages }],
	gemini: ["/v1beta/models/generate-content-a:generateContent", { contents: [{ parts: [{ text: "x" }] }] }],
} as const;
const ask = (way: keyof typeof ways, more: object) => world.gateway.ask(ways[way][0], { ...ways[way][1], ...more });

const server = (server_url: string) => ({ tools: [{ type: "mcp", server_label: "s", server_url }] });
const reached = (url: string) => ({ tools: [{ mcpServers: [{ name: "s", streamableHttpTransport: { url } }] }] });
const named = (url: string) => ({ mcp_servers: [{ type: "url", name: "s", url }] });

describe("what is refused", () => {
	test.each<[keyof typeof ways, object]>([
		["chat", { tools: [{ type: "file_search", vector_store_ids: ["vs_of_a"] }] }],
		["chat", { tools: [{ type: "collections_search", collection_ids: ["of-a"] }] }],
		["chat", { tools: [{ type: "retrieval", retrieval: { knowledge_id: "of-a" } }] }],
		["chat", { tools: [{ type: "retrieval", retrieval: { kb_ids: ["of-a"] } }] }],
		["chat", { tools: [{ type: "retrieval", function: { options: { vector_store_id: "of-a" } } }] }],
		["chat", { tools: [{ type: "document_library", library_ids: ["of-a"] }] }],
		["chat", { tools: [{ type: "code_interpreter", container: "cntr_of_a" }] }],
		["chat", { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file-a"] } }] }],
		["chat", { vector_store_ids: ["vs_of_a"] }],
		["chat", { cached_content: "cachedContents/of-a" }],
		["gemini", { tools: [{ retrieval: { externalApi: { endpoint: "http://10.0.0.1", apiSpec: "SIMPLE_SEARCH" } } }] }],
		["gemini", { tools: { mcp_servers: [{ streamable_http_transport: { url: "http://localhost" } }] } }],
		...[
			"http://169.254.169.254/mcp",
			"http://localhost:8080",
			"http://tools:80/mcp",
			"litellm_proxy/mcp/github",
		].flatMap((url): [keyof typeof ways, object][] => [
			["chat", server(url)],
			["responses", server(url)],
			["responses", { input: [...messages, { type: "additional_tools", role: "developer", ...server(url) }] }],
			["messages", named(url)],
			["gemini", reached(url)],
		]),
	])("%s %j", async (way, more) => {
		const response = await ask(way, more);
		expect(response.status).toBe(400);
		expect(await response.text()).toContain("is not known here as your own");
		expect(world.upstream.received).toEqual([]);
	});
});

describe("what goes on", () => {
	const schema = { type: "object", properties: { vector_store_ids: { type: "array" } }, required: ["server_url"] };
	const examples = [{ vector_store_ids: ["vs_of_mine"], server_url: "localhost" }];
	test.each<[keyof typeof ways, object]>([
		["chat", server("https://tools.example.org/mcp")],
		["responses", server("https://tools.example.org/mcp")],
		["messages", named("https://tools.example.org/mcp")],
		["gemini", reached("https://tools.example.org/mcp")],
		["chat", { tools: [{ type: "web_search" }] }],
		["chat", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
		["chat", { tools: [{ type: "function", function: { name: "f", parameters: { ...schema, examples } } }] }],
		["responses", { tools: [{ type: "function", name: "f", parameters: { ...schema, examples } }] }],
		[
			"gemini",
			{ tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { default: { url: "localhost" } } }] }] },
		],
	])("%s %j", async (way, more) => {
		await ask(way, more);
		expect(world.upstream.received).toHaveLength(1);
		expect(world.upstream.received[0]?.json).toMatchObject(more);
	});
});
