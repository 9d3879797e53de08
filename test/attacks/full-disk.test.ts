/** The disk is full: whatever has to be written is refused with 503 and when to come again, what is read is answered, and it mends. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqlServer, startSqlServer } from "../support/sql-server.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let folder: string;
let database: SqlServer;
let world: AttackWorld;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-full-"));
	database = startSqlServer(join(folder, "shared.db"));
	world = await attackWorld({
		plugins: ["tasks", "image", { use: "demo", with: { wordMs: 0 } }],
		config: { database: { url: database.url } },
	});
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
afterAll(async () => {
	await world.stop();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

test("503 for new tokens, tasks and calls under a quota; lists are still answered; then all of it works again", async () => {
	const { gateway } = world;
	const { key } = await gateway.token({ quota: 1 });
	const writes = {
		token: () =>
			fetch(`${gateway.url}/admin/tokens`, {
				method: "POST",
				headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
				body: JSON.stringify({ name: "one more" }),
			}),
		task: () => gateway.ask("/v1/tasks", { kind: "image", model: "demo", prompt: "a cat" }),
		call: () =>
			gateway.ask(
				"/v1/chat/completions",
				{ model: "chat-completions-a", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] },
				{ headers: { authorization: `Bearer ${key}` } },
			),
	};
	database.fill(true);
	for (const [name, write] of Object.entries(writes)) {
		const response = await write();
		expect([name, response.status]).toEqual([name, 503]);
		expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(await response.json()).toMatchObject({ error: { code: "server_is_overloaded" } });
	}
	expect((await gateway.ask("/v1/models")).status).toBe(200);
	expect((await gateway.ask("/v1/tasks")).status).toBe(200);
	database.fill(false);
	for (const [name, write] of Object.entries(writes)) {
		const response = await write();
		expect([name, response.ok]).toEqual([name, true]);
	}
}, 60_000);
