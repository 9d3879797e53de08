/** When callbacks are sent, and in which order. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import { closeAll, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { silent, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

test("18: a receiver that always fails gets four posts, 10, 30 and 60 s after the end of the one before, all alike, and no more", async () => {
	const times: number[] = [];
	const box = await outbox();
	const hook = await receiver((socket, request, index) => {
		times.push(box.clock.now());
		status(500)(socket, request, index);
	});
	const begun = box.clock.now();
	await deliverOnce(box, `${hook.origin}/x`);
	await box.pass(9_999);
	expect(times).toHaveLength(1);
	await box.pass(1);
	await until(() => times.length === 2);
	await quiet(30);
	await box.pass(29_999);
	expect(times).toHaveLength(2);
	await box.pass(1);
	await until(() => times.length === 3);
	await quiet(30);
	await box.pass(59_999);
	expect(times).toHaveLength(3);
	await box.pass(1);
	await until(() => times.length === 4);
	await quiet(30);
	await box.pass(300_000);
	expect(times.map((time) => time - begun)).toEqual([0, 10_000, 40_000, 100_000]);
	expect(new Set(hook.received.map(({ body }) => body.toString())).size).toBe(1);
	expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
	expect(hook.received.map(({ headers }) => headers["x-delivery-attempt"])).toEqual(["1", "2", "3", "4"]);
	expect(hook.received.map(({ headers }) => Number(headers["webhook-timestamp"]) - Math.floor(begun / 1000))).toEqual([
		0, 10, 40, 100,
	]);
	expect(await only(box)).toMatchObject({ status: "dead", next_attempt_at: null });
});

test("19: one failure, then 200: two posts", async () => {
	const hook = await receiver((socket, request, index) => status(index === 0 ? 500 : 200)(socket, request, index));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	await box.pass(10_000);
	await until(async () => (await only(box)).status === "delivered");
	await box.pass(200_000);
	expect(hook.received).toHaveLength(2);
});

test("20: three changes within five milliseconds are three deliveries, first attempts in order", async () => {
	const hook = await receiver();
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`, "NOT_START", "IN_PROGRESS", "SUCCESS");
	await box.tick();
	await until(() => hook.received.length === 3);
	expect(hook.received.map(({ body }) => JSON.parse(body.toString()).status)).toEqual([
		"NOT_START",
		"IN_PROGRESS",
		"SUCCESS",
	]);
	expect(hook.received.map(({ headers }) => headers["x-event-seq"])).toEqual(["1", "2", "3"]);
	expect(hook.received.map(({ headers }) => headers["webhook-id"])).toEqual(["msg_t1_1", "msg_t1_2", "msg_t1_3"]);
});

test("20: one attempt is in flight for each subject", async () => {
	const hook = await receiver(silent);
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`, "NOT_START", "IN_PROGRESS", "SUCCESS");
	await box.put("t2", `${hook.origin}/x`, "NOT_START", "IN_PROGRESS");
	await box.tick();
	await until(() => hook.open === 2);
	await box.tick();
	await quiet(30);
	expect(hook.mostOpen).toBe(2);
});

test("21: a waiting retry does not hold back a later status", async () => {
	const hook = await receiver((socket, request, index) => status(index === 0 ? 500 : 200)(socket, request, index));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	await box.change("t1", "IN_PROGRESS");
	await box.tick();
	await until(() => hook.received.length === 2);
	await box.pass(10_000);
	await until(() => hook.received.length === 3);
	expect(hook.received.map(({ headers }) => [headers["x-event-seq"], headers["x-delivery-attempt"]])).toEqual([
		["1", "1"],
		["2", "1"],
		["1", "2"],
	]);
});

test("22: a subject that was done before its first callback went out still reports every status as it was", async () => {
	const hook = await receiver();
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`, "NOT_START", "IN_PROGRESS", "SUCCESS");
	await box.pass(5_000);
	await until(() => hook.received.length === 3);
	expect(hook.received.map(({ body }) => body.toString())).toEqual(
		["NOT_START", "IN_PROGRESS", "SUCCESS"].map((word) => `{"id":"t1","status":"${word}"}`),
	);
});
