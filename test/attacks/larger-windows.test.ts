/** Promise: a header that lets a model read more than it usually does lets nobody read what is not held for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ capabilities: { contextWindow: 200_000 } });
	world.upstream.answer(() =>
		Response.json({
			id: "m",
			type: "message",
			role: "assistant",
			model: "m",
			content: [{ type: "text", text: "Found." }],
			stop_reason: "end_turn",
			usage: { input_tokens: 900_000, output_tokens: 2, server_tool_use: { web_search_requests: 1 } },
		}),
	);
});
afterAll(() => world.stop());

const search = { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 1 }] };

/** What is held for: a window of 200,000 tokens is $0.20, one of a million $1. */
const ask = async (quota: number, header: string, more: object) => {
	const { key } = await world.gateway.token({ quota });
	const body = { model: "messages-a", max_tokens: 5, messages: [{ role: "user", content: "x" }], ...more };
	const headers = { authorization: `Bearer ${key}`, "anthropic-beta": header };
	const { status } = await world.gateway.ask("/v1/messages", body, { headers });
	return { status, used: await world.used(key) };
};

test("a search in a window of a million tokens is held for as such", async () => {
	expect((await ask(0.5, "context-1m-2025-08-07", search)).status).toBe(402);
	expect((await ask(0.5, "interleaved-thinking-2025-05-14, context-1m-2025-08-07", search)).status).toBe(402);
	expect(await ask(2, "context-1m-2025-08-07", search)).toEqual({ status: 200, used: 935_020 });
});

test("what reads no more than its body is held for by that, and so is a search without the header", async () => {
	expect((await ask(0.5, "context-1m-2025-08-07", {})).status).toBe(200);
	expect((await ask(0.5, "interleaved-thinking-2025-05-14", search)).status).toBe(200);
});
