/** Crashes, other nodes, clocks that jump and databases that refuse. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import type net from "node:net";
import { closeAll, closeLater, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { silent, status } from "../../test/support/receiver.ts";
import type { AttemptResult } from "./sender.ts";

afterEach(closeAll);

test("26: a node that died after posting: the same delivery is posted once more after its lease, with the same attempt number", async () => {
	const hook = await receiver((socket, request, index) =>
		index === 0 ? undefined : status(200)(socket, request, index),
	);
	let bury: (result: AttemptResult) => void = () => undefined;
	const dead = await outbox({ send: () => new Promise((resolve) => (bury = resolve)) });
	closeLater({ close: () => bury({ durationMs: 0 }) });
	await dead.put("t1", `${hook.origin}/x`);
	await dead.tick();
	const next = await outbox({ beside: dead });
	await next.pass(14_000);
	expect(hook.received).toHaveLength(0);
	expect((await only(next)).status).toBe("sending");
	await next.pass(2_000);
	await until(() => hook.received.length === 1);
	expect(hook.received[0]?.headers).toMatchObject({ "webhook-id": "msg_t1_1", "x-delivery-attempt": "1" });
	expect((await only(next)).attempts[0]).toMatchObject({ cause: "lost", error: "lease_lost", number: 1 });
});

test("26: leases lost again and again count as failures, so that a poisonous delivery ends", async () => {
	const box = await outbox();
	await box.put("t1", "http://127.0.0.1:9/x");
	for (let round = 0; round < 40; round++) {
		await box.store.run("UPDATE deliveries SET state = 'sending', lease = ?, lease_until = ? WHERE state = 'pending'", [
			`gone-${round}`,
			box.clock.now() - 1,
		]);
		await box.dispatcher.stop().catch(() => undefined);
		const { createQueue } = await import("./queue.ts");
		await createQueue(box.store).recover(box.clock.now(), []);
	}
	const delivery = await only(box);
	expect(delivery.status).toBe("dead");
	expect(delivery.attempts.every(({ cause }) => cause === "lost")).toBe(true);
	expect(delivery.attempts).toHaveLength(16);
});

test("27: a node that died after its claim: the delivery is sent after the lease, none is lost", async () => {
	const hook = await receiver();
	const box = await outbox();
	for (let index = 0; index < 20; index++) await box.put(`t${index}`, `${hook.origin}/x`);
	await box.store.run("UPDATE deliveries SET state = 'sending', lease = 'gone', lease_until = ?", [
		box.clock.now() + 15_000,
	]);
	await box.pass(16_000);
	await until(() => hook.received.length === 20);
	expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
});

test("36: two nodes that look at the same moment claim nothing twice", async () => {
	const hook = await receiver();
	const one = await outbox();
	const two = await outbox({ beside: one });
	for (let index = 0; index < 300; index++) await one.put(`t${index}`, `${hook.origin}/x`);
	await Promise.all([one.tick(), two.tick()]);
	for (let round = 0; round < 50 && hook.received.length < 300; round++) {
		await Promise.all([one.tick(), two.tick()]);
		await quiet(10);
	}
	await quiet(30);
	expect(hook.received).toHaveLength(300);
	expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(300);
});

test("33: a clock that jumps forward an hour does not make a node take over its own attempt", async () => {
	const hook = await receiver(silent);
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	await until(() => hook.received.length === 1);
	box.clock.jump(3_600_000);
	await box.tick();
	await quiet(30);
	expect(hook.connections).toBe(1);
});

test("33: a clock that jumps back an hour delays a retry by a minute at most", async () => {
	const hook = await receiver((socket, request, index) => status(index === 0 ? 500 : 200)(socket, request, index));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	box.clock.jump(-3_600_000);
	await box.pass(62_000);
	await until(async () => {
		await box.tick();
		return hook.received.length >= 2;
	});
});

test("34: a database that refuses is asked again, and nothing is reported that was not recorded", async () => {
	const hook = await receiver();
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	await until(async () => (await only(box)).status === "delivered");

	await box.put("t2", `${hook.origin}/x`);
	await box.tick();
	box.store.failWrites = new Error("busy");
	await until(() => hook.received.length === 2);
	await quiet(30);
	box.store.failWrites = undefined;
	for (let step = 0; step < 20; step++) {
		box.clock.advance(100);
		await quiet(3);
	}
	await until(async () => (await only(box, "t2")).status === "delivered");
	expect(hook.received).toHaveLength(2);
});

test("35: an outcome that could never be recorded is sent again under the same id", async () => {
	const hook = await receiver();
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	box.store.failWrites = new Error("disk full");
	await until(() => hook.received.length === 1);
	for (let step = 0; step < 40; step++) {
		box.clock.advance(1000);
		await quiet(2);
	}
	box.store.failWrites = undefined;
	await box.pass(5_000);
	await until(async () => (await only(box)).status === "delivered");
	expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("47: a stop lets the attempt under way end and records it", async () => {
	const sockets: net.Socket[] = [];
	const hook = await receiver((socket) => sockets.push(socket));
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.put("t2", "http://127.0.0.1:9/later");
	await box.store.run("UPDATE deliveries SET due_at = due_at + 5000 WHERE subject = 't2'");
	await box.tick();
	await until(() => sockets.length === 1);
	const stopping = box.dispatcher.stop();
	sockets[0]?.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
	await stopping;
	expect((await only(box)).status).toBe("delivered");
	await box.pass(10_000);
	expect((await only(box, "t2")).attempts).toHaveLength(0);
});
