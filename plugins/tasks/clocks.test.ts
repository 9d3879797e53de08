/** Nodes whose clocks differ: no task is taken from the node that works on it, and none is called back late. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, sql } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { startSharedDatabase } from "../../test/support/shared-database.ts";
import type { Submission } from "./service.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const stop of open.splice(0).reverse()) await stop();
	resetScript();
});

/** The time of this machine, so much later. */
const ahead = (milliseconds: number): Clock => ({
	now: () => Date.now() + milliseconds,
	monotonic: () => performance.now(),
	after(wait, action) {
		const timer = setTimeout(action, wait);
		return () => clearTimeout(timer);
	},
});

const nodes = async (...clocks: readonly Clock[]): Promise<readonly TestGateway[]> => {
	const folder = mkdtempSync(join(tmpdir(), "portico-clocks-"));
	open.push(async () => rmSync(folder, { recursive: true, force: true }));
	const server = await startSharedDatabase(folder);
	open.push(() => server.close());
	const started: TestGateway[] = [];
	for (const clock of clocks) {
		const node = await startGateway({
			clock,
			config: { database: { url: server.url } },
			plugins: [
				"tokens",
				{ use: "webhooks", with: { allowPrivateNetworks: true } },
				"tasks",
				join(import.meta.dir, "../../test/support/scripted-kind.ts"),
			],
		});
		open.push(() => node.stop());
		started.push(node);
	}
	return started;
};

test("a task under way stays with its node, though its neighbour's clock is ahead", async () => {
	const [first] = await nodes(ahead(0), ahead(45_000));
	if (!first) throw new Error("no node");
	const answer = Promise.withResolvers<Submission>();
	scripted.submit = () => answer.promise;
	const told = await first.ask("/v1/tasks", { kind: "scripted", prompt: "a cat" });
	const { id } = (await told.json()) as { id: string };
	await until(() => scripted.submitted.length === 1, "submitted");
	// The neighbour looks for work every second.
	await new Promise((resolve) => setTimeout(resolve, 2500));
	answer.resolve({ outcome: "done", made });
	const end = async () => (await first.store.all(sql`SELECT status, failure FROM tasks WHERE id = ${id}`))[0];
	await until(async () => (await end())?.status !== "NOT_START", "the end");
	expect({ ...(await end()) }).toEqual({ status: "SUCCESS", failure: null });
}, 20_000);

test("a node whose clock is ahead has its callbacks sent at once", async () => {
	const hook = await startReceiver();
	open.push(() => hook.close());
	const [first] = await nodes(ahead(20_000));
	if (!first) throw new Error("no node");
	scripted.submit = async () => ({ outcome: "done", made });
	await first.ask("/v1/tasks", { kind: "scripted", prompt: "a cat", notifyHook: `${hook.origin}/x` });
	await until(() => hook.received.length === 3, "three callbacks", 5000);
}, 20_000);
