/** Callbacks of one token do not wait for another's, however many of those hang, and where; nor for those of another person's tokens. */
import { afterEach, expect, test } from "bun:test";
import { closeAll, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import type { Outbox } from "../../test/support/outbox.ts";
import { silent, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

const put = (box: Outbox, owner: string, hooks: readonly string[]) =>
	box.store.run("INSERT INTO things SELECT ? || key, ?, 'NOT_START', 1, value, '{}', ? FROM json_each(?)", [
		owner,
		owner,
		box.clock.now() - 1000,
		JSON.stringify(hooks),
	]);

test("at one receiver that answers the one and not the other", async () => {
	const shared = await receiver((socket, request, index) =>
		request.path === "/good" ? status(200)(socket, request, index) : undefined,
	);
	const box = await outbox();
	await put(
		box,
		"hangs",
		Array.from({ length: 200 }, () => `${shared.origin}/hangs`),
	);
	await box.tick();
	await put(
		box,
		"good",
		Array.from({ length: 20 }, () => `${shared.origin}/good`),
	);
	await box.tick();
	// The clock stands still: what hangs goes on hanging.
	await until(() => shared.received.filter(({ path }) => path === "/good").length === 20, "the good ones", 5000);
	expect(shared.mostOpen).toBeLessThanOrEqual(64);
});

test("at more receivers that hang than there are places for strangers", async () => {
	const hung = await receiver(silent);
	const good = await receiver();
	const box = await outbox({ resolve: async () => ["127.0.0.1"], overall: 64 });
	await put(
		box,
		"hangs",
		Array.from({ length: 300 }, (_, index) => `http://hung-${index}.example:${hung.port}/x`),
	);
	await box.tick();
	await put(box, "good", [`${good.origin}/x`]);
	await box.tick();
	await until(() => good.received.length === 1, "the good one", 5000);
	expect(hung.open).toBe(39);
});

test("from more tokens of one person than there are places", async () => {
	const hung = await receiver(silent);
	const good = await receiver();
	const box = await outbox({ resolve: async () => ["127.0.0.1"], overall: 64 });
	for (let token = 0; token < 200; token++)
		await put(box, `ada/${token}`, [`http://hung-${token}.example:${hung.port}/x`]);
	await box.tick();
	await put(box, "bob/1", [`${good.origin}/x`]);
	await box.tick();
	await until(() => good.received.length === 1, "the callback of another person", 5000);
	expect(hung.open).toBe(39);
});
