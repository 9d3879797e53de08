/** What sending by hand does to a callback that still waits to be tried again. */
import { afterEach, expect, test } from "bun:test";
import { closeAll, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { status } from "../../test/support/receiver.ts";

afterEach(closeAll);

test("a waiting callback that is sent by hand keeps the attempts it has left", async () => {
	const hook = await receiver(status(500));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await box.redeliver("msg_t1_1")).toBe(true);
	await box.tick();
	await until(async () => (await only(box)).attempts.length === 2);
	expect((await only(box)).status).toBe("pending");
	await box.pass(200_000);
	expect(hook.received.map(({ headers }) => headers["x-delivery-attempt"])).toEqual(["1", "2", "3", "4"]);
	expect(await only(box)).toMatchObject({ status: "dead" });
});

test("a dead callback that is sent by hand gets one attempt", async () => {
	const hook = await receiver(status(500));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	await box.pass(200_000);
	expect((await only(box)).status).toBe("dead");
	expect(await box.redeliver("msg_t1_1")).toBe(true);
	await box.pass(200_000);
	expect(hook.received).toHaveLength(5);
	const { status: state, attempts } = await only(box);
	expect([state, attempts.map(({ cause }) => cause)]).toEqual([
		"dead",
		["schedule", "schedule", "schedule", "schedule", "manual"],
	]);
});
