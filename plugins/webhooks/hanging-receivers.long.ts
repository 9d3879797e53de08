/** Many deliveries, and receivers that hang. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import { closeAll, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { silent, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

test("29: overdue deliveries are drained, new ones among them, never more than the concurrency allow", async () => {
	let waiting = 0;
	let most = 0;
	const hook = await receiver((socket, request, index) => {
		most = Math.max(most, ++waiting);
		setTimeout(() => {
			waiting--;
			status(200)(socket, request, index);
		}, 2);
	});
	const box = await outbox({ perReceiver: 32 });
	const rows = Array.from({ length: 2000 }, (_, index) => index);
	await box.store.run(`INSERT INTO things SELECT 't' || value, 'owner', 'NOT_START', 1, ?, '{}', ? FROM json_each(?)`, [
		`${hook.origin}/x`,
		box.clock.now() - 3_600_000,
		JSON.stringify(rows),
	]);
	await box.put("new", `${hook.origin}/new`);
	await box.tick();
	await until(() => hook.received.length === 2001, "the drain", 20_000);
	expect(most).toBeLessThanOrEqual(32);
}, 30_000);

test("30: 600 receivers that hang do not delay one that answers", async () => {
	const hanging: string[] = [];
	const hung = await receiver(silent);
	const healthy = await receiver();
	const box = await outbox({ resolve: async () => ["127.0.0.1"] });
	for (let index = 0; index < 600; index++) {
		hanging.push(`h${index}`);
		await box.put(`h${index}`, `http://hung-${index}.example:${hung.port}/x`, "NOT_START", "IN_PROGRESS");
	}
	await box.tick();
	await box.put("ok", `${healthy.origin}/x`);
	const begun = performance.now();
	await box.tick();
	await until(() => healthy.received.length === 1, "the healthy delivery", 2000);
	expect(performance.now() - begun).toBeLessThan(1000);
	expect(hung.connections).toBeGreaterThanOrEqual(500);
}, 20_000);

test("31: thousands for one receiver that hangs take at most its concurrency, and others go on", async () => {
	const hung = await receiver(silent);
	const healthy = await receiver();
	const box = await outbox();
	await box.store.run(`INSERT INTO things SELECT 't' || value, 'owner', 'NOT_START', 1, ?, '{}', ? FROM json_each(?)`, [
		`${hung.origin}/x`,
		box.clock.now() - 1000,
		JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index)),
	]);
	await box.tick();
	await box.put("ok", `${healthy.origin}/x`);
	await box.tick();
	await until(() => healthy.received.length === 1);
	expect(hung.mostOpen).toBeLessThanOrEqual(64);
}, 20_000);
