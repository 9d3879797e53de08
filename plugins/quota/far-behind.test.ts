/** A database that takes nothing for so long that memory would not hold what waits for it: calls are refused, and none is lost. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, sql } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../../test/support/chat-answers.ts";
import { until } from "../../test/support/moved-clock.ts";
import { type SqlServer, startSqlServer } from "../../test/support/sql-server.ts";

let folder: string;
let database: SqlServer;
let gateway: TestGateway;
let upstream: ScriptedUpstream;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-behind-"));
	database = startSqlServer(join(folder, "shared.db"));
	upstream = startUpstream(() => Response.json(chatAnswer()));
	const upstreams = [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }];
	gateway = await startGateway({
		config: { database: { url: database.url } },
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{ use: new URL("../../test/support/few-rows-quota.ts", import.meta.url).pathname },
			"ledger",
			{ use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "up", model: "up" }] }] } },
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const ask = async (key: string): Promise<Response> =>
	await gateway.ask(
		"/v1/chat/completions",
		{ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
		{ headers: { authorization: `Bearer ${key}` } },
	);

const rows = async (): Promise<number> =>
	asList(await gateway.store.all(sql`SELECT id FROM ledger WHERE status = 200`)).length;

test("calls go on for a while, are refused then, and go on once what waits is written", async () => {
	const { key } = await gateway.token();
	expect((await ask(key)).status).toBe(200);
	database.fill(true);
	let answered = 1;
	let refused: Response | undefined;
	await until(async () => {
		const answer = await ask(key);
		if (answer.status === 200) answered++;
		else refused = answer;
		return refused !== undefined;
	}, "a refusal");
	expect(answered).toBeGreaterThanOrEqual(5);
	expect(refused?.status).toBe(503);
	expect(refused?.headers.get("retry-after")).toBe("5");
	expect(await refused?.text()).toContain("until its database takes what waits");
	expect(gateway.log).toContainEqual(
		expect.objectContaining({ level: "error", msg: expect.stringContaining("too many ledger rows wait") }),
	);

	database.fill(false);
	await until(async () => (await ask(key)).status === 200, "a call that is let through");
	await until(async () => (await rows()) >= answered + 1, "every call's row");
});
