/** What survives a restart. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/webhooks`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { doLater, idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import { startTaskWorld } from "../../test/support/task-world.ts";

beforeEach(resetScript);
afterEach(stopAll);

test("every open task goes on after a restart; one whose submission had begun is not submitted again", async () => {
	const folder = mkdtempSync(`${tmpdir()}/portico-restart-`);
	doLater(() => rmSync(folder, { recursive: true, force: true }));
	const first = await startTaskWorld({ folder });
	const polled = await idOf(first);
	await first.pass(300, 100);
	let hangs: (() => void) | undefined;
	scripted.submit = () => new Promise((resolve) => (hangs = () => resolve({ outcome: "unknown" })));
	const begun = await idOf(first);
	await first.pass(300, 100);
	await until(() => scripted.submitted.length === 2);
	// What a killed process leaves: the rows as they are, the answer never taken in.
	const { sql } = await import("drizzle-orm");
	const rows = await first.store.all(sql`SELECT id, submissions, lease_until FROM tasks`);
	expect(rows.find(({ id }) => id === begun)?.submissions).toBe(1);
	const key = first.key;
	const stopping = first.stop();
	await first.pass(31_000, 1000);
	await stopping;
	hangs?.();

	scripted.submit = async (job) => ({ outcome: "accepted", upstreamId: `up-${job.id}` });
	scripted.poll = async () => ({ state: "done", made });
	const second = await startTaskWorld({ folder, clock: first.moved });
	doLater(() => second.stop());
	await second.pass(40_000, 1000);
	const shown = async (id: string) =>
		(await second.json(`/v1/tasks/${id}`, undefined, { headers: { authorization: `Bearer ${key}` } })).body;
	expect(await shown(polled)).toMatchObject({ status: "SUCCESS" });
	// Leases of the dead are looked for once a second, in real time.
	await until(async () => (await shown(begun)).status === "FAILURE");
	const message = expect.stringMatching(/^Portico ended while it sent the task/);
	expect(await shown(begun)).toMatchObject({ error: { code: "submission_unknown", message } });
	expect(scripted.submitted).toHaveLength(2);
}, 20_000);

test("47: a stop lets a submission under way end and keeps its outcome", async () => {
	const folder = mkdtempSync(`${tmpdir()}/portico-stop-`);
	doLater(() => rmSync(folder, { recursive: true, force: true }));
	const first = await startTaskWorld({ folder });
	scripted.submit = async (job) => {
		await new Promise((resolve) => setTimeout(resolve, 50));
		return { outcome: "accepted", upstreamId: `late-${job.id}` };
	};
	const id = await idOf(first);
	first.moved.advance(10);
	await until(() => scripted.submitted.length === 1);
	await first.stop();
	const second = await startTaskWorld({ folder, clock: first.moved });
	doLater(() => second.stop());
	const { createTaskStore } = await import("./task-store.ts");
	expect((await createTaskStore(second.store).work(id))?.upstreamId).toBe(`late-${id}`);
});

test("a reload waits for a submission that outlasts its lease, and keeps its outcome", async () => {
	const at = await world();
	let answer: () => void = () => undefined;
	scripted.submit = () => new Promise((resolve) => (answer = () => resolve({ outcome: "done", made })));
	const id = await idOf(at);
	await until(async () => {
		await at.pass(10);
		return scripted.submitted.length === 1;
	});
	await at.admin("POST", "/admin/reload");
	await at.pass(50_000, 5000);
	// Has the new worker look for what is due.
	scripted.submit = async () => ({ outcome: "done", made });
	const next = await idOf(at);
	await until(async () => (await show(at, next)).status === "SUCCESS");
	expect((await show(at, id)).status).toBe("NOT_START");
	answer();
	await until(async () => (await show(at, id)).status === "SUCCESS");
	expect(scripted.submitted).toHaveLength(2);
});

test.each([
	["a stop", false],
	["a stop soon after a reload", true],
])("%s waits for a submission under way as long as calls may go on", async (_name, reloads) => {
	const folder = mkdtempSync(`${tmpdir()}/portico-drain-`);
	doLater(() => rmSync(folder, { recursive: true, force: true }));
	const first = await startTaskWorld({ folder });
	let answer: () => void = () => undefined;
	let ended = false;
	scripted.submit = (_job, signal) => {
		signal.addEventListener("abort", () => (ended = true));
		return new Promise((resolve) => (answer = () => resolve({ outcome: "done", made })));
	};
	const id = await idOf(first);
	await until(async () => {
		await first.pass(10);
		return scripted.submitted.length === 1;
	});
	if (reloads) await first.admin("POST", "/admin/reload");
	const stopping = first.stop();
	await first.pass(29_000, 1000);
	expect(ended).toBe(false);
	answer();
	await stopping;
	const second = await startTaskWorld({ folder, clock: first.moved });
	doLater(() => second.stop());
	const headers = { authorization: `Bearer ${first.key}` };
	expect((await second.json(`/v1/tasks/${id}`, undefined, { headers })).body).toMatchObject({ status: "SUCCESS" });
});
