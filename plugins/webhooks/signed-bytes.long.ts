/** Signatures and the bytes they sign. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { closeAll, deliverOnce, outbox, receiver } from "../../test/support/callbacks.ts";
import { until } from "../../test/support/moved-clock.ts";

afterEach(closeAll);

const signatureOf = (secret: string, id: string, seconds: string, body: Buffer): string =>
	`v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
		.update(`${id}.${seconds}.`)
		.update(body)
		.digest("base64")}`;

test("48: without a secret callbacks are sent unsigned; with one they are signed; while it is replaced they bear two signatures", async () => {
	const hook = await receiver();
	const box = await outbox();
	await deliverOnce(box, `${hook.origin}/x`);
	expect(hook.received[0]?.headers["webhook-signature"]).toBeUndefined();
	expect(hook.received[0]?.headers["webhook-id"]).toBe("msg_t1_1");

	const first = (await box.secrets.create("owner")) ?? "";
	expect(await box.secrets.create("owner")).toBeUndefined();
	await box.change("t1", "IN_PROGRESS");
	await box.tick();
	await until(() => hook.received.length === 2);
	const signed = hook.received[1];
	expect(signed?.headers["webhook-signature"]).toBe(
		signatureOf(first, "msg_t1_2", signed?.headers["webhook-timestamp"] ?? "", signed?.body ?? Buffer.alloc(0)),
	);

	const second = (await box.secrets.rotate("owner", 60_000)) ?? "";
	await box.change("t1", "SUCCESS");
	await box.tick();
	await until(() => hook.received.length === 3);
	const both = hook.received[2];
	expect(both?.headers["webhook-signature"]).toBe(
		[second, first]
			.map((secret) =>
				signatureOf(secret, "msg_t1_3", both?.headers["webhook-timestamp"] ?? "", both?.body ?? Buffer.alloc(0)),
			)
			.join(" "),
	);
	box.clock.advance(60_000);
	expect(box.secrets.valid("owner", box.clock.now())).toEqual([second]);
});

test("40: any text arrives as the bytes that were signed", async () => {
	const hook = await receiver();
	const box = await outbox();
	const secret = (await box.secrets.create("owner")) ?? "";
	const prompt = `\u{1f3a8} \u202eabc \u0000 line\nbreak "quoted" \ud800 ${"\u00fc".repeat(50_000)}`;
	const body = JSON.stringify({ prompt });
	await box.store.run("INSERT INTO things VALUES ('t1', 'owner', 'NOT_START', 1, ?, ?, ?)", [
		`${hook.origin}/x`,
		body,
		box.clock.now(),
	]);
	await box.tick();
	await until(() => hook.received.length === 1);
	const [got] = hook.received;
	expect(got?.body.toString()).toBe(body);
	expect(got?.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
	expect(JSON.parse(got?.body.toString() ?? "")).toEqual({ prompt });
	expect(got?.headers["webhook-signature"]).toBe(
		signatureOf(secret, "msg_t1_1", got?.headers["webhook-timestamp"] ?? "", Buffer.from(body)),
	);
});
