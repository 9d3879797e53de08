/** The database goes away, or its disk is full: metered calls are refused, health is red, and all of it mends itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type TestGateway } from "#core/testing";
import { type SqlServer, startSqlServer } from "../support/sql-server.ts";

let folder: string;
let database: SqlServer;
let gateway: TestGateway;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-gone-"));
	database = startSqlServer(join(folder, "shared.db"));
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "prices", with: { models: { demo: { input: 1, output: 10 } } } },
			"quota",
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			"ledger",
			"call-log",
			"tasks",
			{ use: "webhooks", with: {} },
			"metrics",
		],
		config: { database: { url: database.url } },
	});
});
afterAll(async () => {
	database.faults.length = 0;
	await gateway.stop();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const ask = (key: string): Promise<Response> =>
	gateway.ask(
		"/v1/chat/completions",
		{ model: "demo", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] },
		{ headers: { authorization: `Bearer ${key}` } },
	);
const ready = async (): Promise<number> => (await fetch(`${gateway.url}/readyz`)).status;
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** While the database is away metrics are told, and a call whose key cannot be looked up is seen: its id. */
const seenWithoutDatabase = async (): Promise<string> => {
	const refused = await ask(gateway.key);
	expect(refused.status).toBe(503);
	const id = refused.headers.get("x-request-id") ?? "";
	expect(gateway.log.find((line) => line["request_id"] === id)).toMatchObject({
		status: 503,
		ending: "refused",
		error_code: "overloaded",
	});
	const shown = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	const lines = (await shown.text()).split("\n");
	expect(lines).toContain("portico_database_up 0");
	expect(lines).toContain('portico_deliveries_total{outcome="dead"} 0');
	expect(lines.some((line) => /^portico_refusals_total\{code="overloaded"\} [1-9]/.test(line))).toBe(true);
	return id;
};

test("away: a metered call that needs a new lease is refused with 503, /readyz is red, and both mend without a hand", async () => {
	const { id, key } = await gateway.token({ quota: 1 });
	expect(await ready()).toBe(200);
	// The token is known before; its first lease is what cannot be had.
	expect((await gateway.ask("/v1/models", undefined, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
		200,
	);
	database.faults.push(...Array.from({ length: 10_000 }, () => "down" as const));
	const refused = await ask(key);
	expect(refused.status).toBe(503);
	expect(await refused.json()).toMatchObject({ error: { code: "server_is_overloaded" } });
	await until(async () => (await ready()) === 503);
	expect(await (await fetch(`${gateway.url}/readyz`)).json()).toMatchObject({ reason: "database" });
	const unknown = await seenWithoutDatabase();
	database.faults.length = 0;
	await until(async () => (await ask(key)).status === 200);
	await until(async () => (await ready()) === 200);
	expect(await gateway.admin("GET", `/admin/calls/${unknown}`)).toMatchObject({
		ending: "refused",
		status: 503,
		reason: "overloaded",
		token: null,
		advice: expect.stringContaining("portico status"),
	});
	const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
	const usage = (await gateway.admin("GET", `/admin/usage?by=token&token=${id}`)) as { data: { cost: number }[] };
	expect(usage.data[0]?.cost).toBe(Number(used));
}, 40_000);

test.each([
	["full", (on: boolean) => database.fill(on)],
	["read-only", (on: boolean) => database.freeze(on)],
] as const)(
	"%s: refused in the same way, while what is read is still answered; it mends itself",
	async (_, suffer) => {
		const { id, key } = await gateway.token({ quota: 1 });
		suffer(true);
		const refused = await ask(key);
		expect(refused.status).toBe(503);
		await until(async () => (await ready()) === 503);
		expect((await gateway.ask("/v1/models", undefined, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
			200,
		);
		suffer(false);
		await until(async () => (await ask(key)).status === 200);
		await until(async () => (await ready()) === 200);
		const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
		const usage = (await gateway.admin("GET", `/admin/usage?by=token&token=${id}`)) as { data: { cost: number }[] };
		expect(usage.data[0]?.cost).toBe(Number(used));
	},
	40_000,
);
