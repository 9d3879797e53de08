/** What counts as delivered. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import type net from "node:net";
import { closeAll, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { type Answer, silent, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

test("1: 200 with an empty body is delivered in one attempt", async () => {
	const [box, hook] = [await outbox(), await receiver()];
	await deliverOnce(box, `${hook.origin}/x`);
	await box.pass(200_000);
	expect(hook.received).toHaveLength(1);
	expect(await only(box)).toMatchObject({
		status: "delivered",
		attempts: [{ number: 1, status: 200, error: null, address: "127.0.0.1" }],
	});
	expect(hook.received[0]?.method).toBe("POST");
	expect(hook.received[0]?.headers["content-type"]).toBe("application/json");
});

test.each([201, 202, 204])("2: %d is a failure, and delivered where 2xx is set", async (code) => {
	const hook = await receiver(status(code));
	const strict = await outbox();
	await deliverOnce(strict, `${hook.origin}/x`);
	expect(await only(strict)).toMatchObject({ status: "pending", attempts: [{ error: `http_${code}` }] });
	const lenient = await outbox({ success: "2xx" });
	await deliverOnce(lenient, `${hook.origin}/x`);
	expect(await only(lenient)).toMatchObject({ status: "delivered" });
});

test.each([301, 302, 303, 307, 308])("3: %d is a failure and its location is not called", async (code) => {
	const elsewhere = await receiver();
	const hook = await receiver(status(code, `location: ${elsewhere.origin}/y\r\n`));
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "pending", attempts: [{ error: `http_${code}` }] });
	expect(elsewhere.connections).toBe(0);
});

test.each([400, 401, 403, 404, 410, 429, 500, 503])(
	"4: %d is tried four times, whatever Retry-After says",
	async (code) => {
		const hook = await receiver(status(code, "retry-after: 1\r\n"));
		const box = await outbox();
		await deliverOnce(box, `${hook.origin}/x`);
		await box.pass(9_000);
		expect(hook.received).toHaveLength(1);
		await box.pass(160_000);
		expect(hook.received).toHaveLength(4);
		expect(await only(box)).toMatchObject({ status: "dead" });
	},
);

test("5: 200 with an endless body is delivered when its headers are there, and the socket is closed", async () => {
	const hook = await receiver((socket) => {
		socket.write("HTTP/1.1 200 OK\r\n\r\n");
		const more = (): void => {
			if (!socket.destroyed && socket.write(Buffer.alloc(65_536))) setImmediate(more);
			else if (!socket.destroyed) socket.once("drain", more);
		};
		more();
	});
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "delivered" });
	await until(() => hook.open === 0, "the socket's end");
});

test("6: headers that drip are a timeout after five seconds in all", async () => {
	const text = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
	const hook = await receiver((socket, _request, index) => {
		if (index > 0) return;
		for (const letter of text.slice(0, 20)) socket.write(letter);
	});
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	await until(() => hook.received.length === 1);
	box.clock.advance(4_999);
	await quiet(30);
	expect((await only(box)).attempts).toHaveLength(0);
	box.clock.advance(1);
	await until(async () => (await only(box)).attempts.length === 1);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "timeout", duration_ms: 5000 });
});

test.each([
	["7: accepted, then silence", "http", silent],
	["7: a TLS handshake that hangs", "https", silent],
] as const)("%s is a timeout", async (_name, scheme, answer) => {
	const hook = await receiver(answer);
	const box = await outbox();
	await box.put("t1", `${scheme}://127.0.0.1:${hook.port}/x`);
	await box.tick();
	await until(() => hook.connections === 1);
	box.clock.advance(5_000);
	await until(async () => (await only(box)).attempts.length === 1);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "timeout", status: null });
	await until(() => hook.open === 0, "the socket's end");
});

test("7: a resolver that hangs is a timeout, within the same five seconds", async () => {
	const box = await outbox({ resolve: () => new Promise(() => undefined) });
	await box.put("t1", "http://receiver.example/x");
	await box.tick();
	await quiet(30);
	box.clock.advance(5_000);
	await until(async () => (await only(box)).attempts.length === 1);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "timeout", address: null, duration_ms: 5000 });
});

test("8: an answer after 4.9 s is in time; one after 5.1 s is not, and the next attempt is 10 s after the limit", async () => {
	const sockets: net.Socket[] = [];
	const hook = await receiver((socket) => sockets.push(socket));
	const reply = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
	const box = await outbox();
	await box.put("t1", `${hook.origin}/x`);
	await box.tick();
	await until(() => sockets.length === 1);
	box.clock.advance(4_900);
	sockets[0]?.write(reply);
	await until(async () => (await only(box)).status === "delivered");

	await box.put("t2", `${hook.origin}/x`);
	await box.tick();
	await until(() => sockets.length === 2);
	const begun = box.clock.now();
	box.clock.advance(5_100);
	sockets[1]?.write(reply);
	await until(async () => (await only(box, "t2")).attempts.length === 1);
	const delivery = await only(box, "t2");
	expect(delivery).toMatchObject({ status: "pending", attempts: [{ error: "timeout" }] });
	expect(delivery.next_attempt_at).toBeGreaterThanOrEqual((begun + 15_000) / 1000);
	expect(delivery.next_attempt_at).toBeLessThanOrEqual((begun + 15_100) / 1000);
});

test.each<[string, string, Answer | undefined]>([
	["refused", "connection_refused", undefined],
	["reset", "connection_reset", (socket) => socket.resetAndDestroy()],
	["garbage", "invalid_answer", (socket) => socket.write("GARBAGE\r\n\r\n")],
	[
		"400 KB of headers",
		"invalid_answer",
		(socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(400_000)}\r\n\r\n`),
	],
	[
		"interim answers without end",
		"invalid_answer",
		(socket) => {
			const more = (): void => {
				if (socket.destroyed) return;
				if (socket.write("HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n".repeat(500))) setImmediate(more);
				else socket.once("drain", more);
			};
			more();
		},
	],
	["headers cut off", "connection_reset", (socket) => socket.end("HTTP/1.1 200 OK\r\nConte")],
])("9: %s is a failure with a word of its own", async (_name, word, answer) => {
	const hook = await receiver(answer ?? silent);
	if (!answer) await hook.close();
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "pending", attempts: [{ error: word, status: null }] });
});

test("9: a body cut off after 200 is delivered", async () => {
	const hook = await receiver((socket) => {
		socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc");
		setTimeout(() => socket.destroy(), 5);
	});
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "delivered" });
});

test.each(["103 Early Hints", "100 Continue"])("10: %s before 200 is delivered", async (line) => {
	const hook = await receiver((socket) => {
		socket.write(`HTTP/1.1 ${line}\r\n\r\n`);
		setTimeout(() => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), 10);
	});
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "delivered" });
});

test("50: a receiver that does not take POST is a failure", async () => {
	const hook = await receiver((socket, request, index) =>
		status(request.method === "POST" ? 405 : 200)(socket, request, index),
	);
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(await only(box)).toMatchObject({ status: "pending", attempts: [{ error: "http_405" }] });
});
