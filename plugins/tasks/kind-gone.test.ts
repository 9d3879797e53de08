/** Tasks whose kind is not loaded any more: looked at from time to time, cancelled where their client wants it, settled in the end. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { createMovedClock, type MovedClock, until } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { resetScript } from "../../test/support/scripted-kind.ts";
import { bodies, doLater, idOf, receiver, stopAll, world } from "../../test/support/scripted-tasks.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";

beforeEach(resetScript);
afterEach(stopAll);

interface Scene {
	readonly id: string;
	readonly key: string;
	readonly clock: MovedClock;
	readonly folder: string;
	readonly hook: Awaited<ReturnType<typeof receiver>>;
}

const money = ["quota", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }];

/** A task that is under way, of a gateway that has stopped. */
const begun = async (): Promise<Scene> => {
	const folder = mkdtempSync(join(tmpdir(), "portico-kind-gone-"));
	doLater(() => rmSync(folder, { recursive: true, force: true }));
	const [clock, hook] = [createMovedClock(), await receiver()];
	const at = await world({ folder, clock, more: money, tasks: { keepDays: 0.5 } });
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	await at.pass(2000, 500);
	await until(() => hook.received.length === 1);
	await at.stop();
	return { id, key: at.key, clock, folder, hook };
};

/** The same without the kind. */
const without = async ({ folder, clock }: Scene): Promise<TestGateway> => {
	const at = await startGateway({
		clock,
		folder,
		plugins: ["tokens", { use: "webhooks", with: { allowPrivateNetworks: true } }, "tasks", ...money],
	});
	doLater(() => at.stop());
	return at;
};

const pass = async ({ clock }: Scene, milliseconds: number, step: number): Promise<void> => {
	for (let left = milliseconds; left > 0; left -= step) {
		clock.advance(Math.min(step, left));
		await quiet(15);
	}
};

const statusOf = async (at: TestGateway, { id, key }: Scene): Promise<unknown> => {
	const answer = await at.ask(`/v1/tasks/${id}`, undefined, { headers: { authorization: `Bearer ${key}` } });
	return ((await answer.json()) as { status: unknown }).status;
};

test("past its time it is not looked at in a loop, and fails with a callback when its kind is there again", async () => {
	const scene = await begun();
	const at = await without(scene);
	await pass(scene, 610_000, 30_000);
	let writes = 0;
	const since = performance.now();
	const { write } = at.store;
	Object.assign(at.store, {
		write: (statements: Parameters<typeof write>[0]) => {
			writes++;
			return write.call(at.store, statements);
		},
	});
	await pass(scene, 60_000, 1000);
	// Jobs write once or twice a second of real time, however slow the machine is.
	const realSeconds = (performance.now() - since) / 1000;
	expect(writes).toBeLessThan(20 + 3 * realSeconds);
	expect(await statusOf(at, scene)).toBe("NOT_START");
	await at.stop();

	const again = await world({ folder: scene.folder, clock: scene.clock, more: money });
	await pass(scene, 35_000, 1000);
	await until(() => scene.hook.received.length === 2);
	expect(bodies(scene.hook)[1]).toMatchObject({ status: "FAILURE", failReason: "task timeout after 10 minutes" });
	expect(await usedOfTokens(again)).toEqual([0.5]);
});

test("its client cancels it", async () => {
	const scene = await begun();
	const at = await without(scene);
	const headers = { authorization: `Bearer ${scene.key}` };
	const answer = await at.ask(`/v1/tasks/${scene.id}/cancel`, {}, { headers });
	expect([answer.status, await answer.json()]).toMatchObject([
		200,
		{ status: "FAILURE", error: { code: "cancelled" } },
	]);
	// It is looked at every thirty seconds, and each time left for five to nodes that have the kind.
	await pass(scene, 80_000, 1000);
	// The five seconds are over by the clock; that they are is seen by a job, which goes by real time.
	await until(async () => String(await usedOfTokens(at)) !== "0", "what it cost");
	expect(await usedOfTokens(at)).toEqual([0.5]);
});

test("when the time is over for which tasks are kept it is settled", async () => {
	const scene = await begun();
	const at = await without(scene);
	await pass(scene, 86_400_000, 1_800_000);
	// Once it is settled a job may remove it, as it does in minute 23 of every real hour.
	const open = sql`SELECT status, due_at FROM tasks WHERE status <> 'FAILURE' OR due_at IS NOT NULL`;
	expect(await at.store.all(open)).toEqual([]);
	expect(await usedOfTokens(at)).toEqual([0.5]);
	await pass(scene, 35_000, 1000);
	expect(scene.hook.received).toHaveLength(1);
});
