/** What is sent again by hand. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import { closeAll, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { silent, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

test("32: what died while a receiver was down is sent again by hand, one or all", async () => {
	let down = true;
	const hook = await receiver((socket, request, index) => status(down ? 503 : 200)(socket, request, index));
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.put("t2", `${hook.origin}/x`);
	await box.pass(3_600_000 / 10);
	expect([(await only(box)).status, (await only(box, "t2")).status]).toEqual(["dead", "dead"]);
	down = false;
	const { createArchive } = await import("./archive.ts");
	const archive = createArchive(box.store);
	expect(await archive.redeliverDead("another", 0, box.clock.now(), box.clock.now())).toBe(0);
	expect(await archive.redeliverDead("owner", 0, box.clock.now(), box.clock.now())).toBe(2);
	await box.tick();
	await until(async () => (await only(box)).status === "delivered" && (await only(box, "t2")).status === "delivered");
}, 30_000);

test("37: a delivered item is sent again once, by hand; its failure schedules nothing and does not undo the delivery", async () => {
	const hook = await receiver((socket, request, index) => status(index === 1 ? 500 : 200)(socket, request, index));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await box.redeliver("msg_t1_1")).toBe(true);
	await box.pass(200_000);
	expect(hook.received).toHaveLength(2);
	expect(hook.received[1]?.headers["webhook-id"]).toBe("msg_t1_1");
	expect(await only(box)).toMatchObject({
		status: "delivered",
		attempts: [{ cause: "schedule" }, { cause: "manual", error: "http_500" }],
	});
});

test("37: sending by hand takes the place of a waiting retry", async () => {
	const hook = await receiver((socket, request, index) => status(index === 0 ? 500 : 200)(socket, request, index));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await box.redeliver("msg_t1_1")).toBe(true);
	await box.tick();
	await until(async () => (await only(box)).status === "delivered");
	await box.pass(200_000);
	expect(hook.received).toHaveLength(2);
});

test("37: nothing is sent by hand while an attempt is under way", async () => {
	const hook = await receiver(silent);
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	await until(() => hook.received.length === 1);
	expect(await box.redeliver("msg_t1_1")).toBe(false);
});
