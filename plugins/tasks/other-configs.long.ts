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

/** The one node that has the upstream, beside two that have not. */
const oneOfThree = async (): Promise<TestGateway> => {
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
	return has;
};

const submit = async (at: TestGateway): Promise<string> => {
	const answer = await at.ask("/v1/tasks", { kind: "scripted", prompt: "a cat" });
	expect(answer.status).toBe(202);
	return ((await answer.json()) as { id: string }).id;
};

test("a node that has not the upstream leaves its tasks to a node that has it", async () => {
	const has = await oneOfThree();
	scripted.poll = async (job) =>
		scripted.polled.filter((id) => id === job.id).length < 3 ? { state: "running" } : { state: "done", made };
	for (let count = 0; count < 20; count++) await submit(has);
	const ended = async () => {
		const [row] = await has.store.all(sql`SELECT count(*) AS ended FROM tasks WHERE status = 'SUCCESS'`);
		return row?.ended;
	};
	// Three polls, a second apart each; one that was put off is put off by 30 s.
	await until(async () => (await ended()) === 20, "all tasks ended", 25_000);
}, 60_000);

test("a task that is cancelled is stopped by a node that has its upstream", async () => {
	const has = await oneOfThree();
	const ids: string[] = [];
	for (let count = 0; count < 20; count++) ids.push(await submit(has));
	await until(() => scripted.submitted.length === 20, "all submitted");
	await new Promise((resolve) => setTimeout(resolve, 500));
	for (const id of ids) {
		expect((await has.ask(`/v1/tasks/${id}/cancel`, {})).status).toBe(200);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	await until(() => scripted.cancelled.length === 20, "all stopped", 25_000);
}, 60_000);
