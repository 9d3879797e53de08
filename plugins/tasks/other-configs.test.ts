/** Nodes of different configs on one database, as while a new config is put on one after the other. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { startSharedDatabase } from "../../test/support/shared-database.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const stop of open.splice(0).reverse()) await stop();
	resetScript();
});

const kind = join(import.meta.dir, "../../test/support/scripted-kind.ts");

test("a node that has not the upstream leaves its tasks to a node that has it", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-configs-"));
	open.push(async () => rmSync(folder, { recursive: true, force: true }));
	const server = await startSharedDatabase(folder);
	open.push(() => server.close());
	const start = async (...more: readonly string[]): Promise<TestGateway> => {
		const config = { database: { url: server.url } };
		const node = await startGateway({ config, plugins: ["tokens", "tasks", ...more] });
		open.push(() => node.stop());
		return node;
	};
	const has = await start(kind);
	await start();
	await start();
	scripted.poll = async (job) =>
		scripted.polled.filter((id) => id === job.id).length < 3 ? { state: "running" } : { state: "done", made };
	for (let count = 0; count < 20; count++)
		expect((await has.ask("/v1/tasks", { kind: "scripted", prompt: "a cat" })).status).toBe(202);
	const ended = async () => {
		const [row] = await has.store.all(sql`SELECT count(*) AS ended FROM tasks WHERE status = 'SUCCESS'`);
		return row?.ended;
	};
	// Three polls, a second apart each.
	await until(async () => (await ended()) === 20, "all tasks ended", 10_000);
}, 30_000);
