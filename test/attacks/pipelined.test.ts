/**
 * A second request, or a stray line end, behind a first on one connection. The runtime's server does not take pipelined
 * requests: it ends the connection, and the first with it. So the first must not have cost anything by then.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { rawClient } from "./raw-client.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(() =>
		Response.json({
			id: "c1",
			object: "chat.completion",
			created: 1,
			model: "m",
			choices: [{ index: 0, message: { role: "assistant", content: "Good." }, finish_reason: "stop" }],
			usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
		}),
	);
});
afterAll(() => world.stop());
beforeEach(() => {
	world.upstream.received.length = 0;
});

const body = JSON.stringify({
	model: "chat-completions-a",
	max_tokens: 5,
	messages: [{ role: "user", content: "Hello" }],
});
const post = (key: string): string =>
	`POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test.each([
	["a second request", (key: string) => post(key), { quota: 1 }],
	["a stray line end", () => "\r\n", { quota: 1 }],
	["a second request", (key: string) => post(key), {}],
	["a stray line end", () => "\r\n", {}],
] as const)("%s in the same breath: whatever is charged was answered", async (_, behind, settings) => {
	const { key } = await world.gateway.token(settings);
	// The first call of a token asks the database, and those after it do not.
	expect(
		(await world.gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } })).status,
	).toBe(200);
	const before = await world.used(key);
	let answered = 0;
	for (let round = 0; round < sized(5, 200); round++) {
		const client = await rawClient(world.gateway.url);
		await client.send(post(key) + behind(key));
		await client.closed;
		if (client.received().startsWith("HTTP/1.1 200")) answered++;
	}
	expect(await world.used(key)).toBe(before + answered * 20);
	expect(world.upstream.received).toHaveLength(1 + answered);
});
