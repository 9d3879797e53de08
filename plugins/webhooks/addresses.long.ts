/** Which addresses callbacks are sent to. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/tasks`. */
import { afterEach, expect, test } from "bun:test";
import type net from "node:net";
import { createAuthority, textOf } from "../../test/support/authority.ts";
import { closeAll, closeLater, deliverOnce, only, outbox, receiver } from "../../test/support/callbacks.ts";
import { startReceiver, status } from "../../test/support/receiver.ts";

afterEach(closeAll);

const selfSigned = async (): Promise<{ key: string; cert: string }> => {
	const { execFileSync } = await import("node:child_process");
	const { mkdtempSync, readFileSync, rmSync } = await import("node:fs");
	const { tmpdir } = await import("node:os");
	const folder = mkdtempSync(`${tmpdir()}/portico-tls-`);
	const file = (name: string): string => `${folder}/${name}`;
	execFileSync(
		"openssl",
		[
			"req",
			"-x509",
			"-newkey",
			"rsa:2048",
			"-nodes",
			"-days",
			"1",
			"-subj",
			"/CN=secure.example",
			"-keyout",
			file("key"),
			"-out",
			file("cert"),
		],
		{ stdio: "ignore" },
	);
	const made = { key: readFileSync(file("key"), "utf8"), cert: readFileSync(file("cert"), "utf8") };
	rmSync(folder, { recursive: true, force: true });
	return made;
};

test("13: a name that resolves to a private address is blocked at each of four attempts, and nothing is sent", async () => {
	const inside = await receiver();
	const box = await outbox({ allowPrivateNetworks: false, resolve: async () => ["127.0.0.1"] });
	await box.put("t1", `http://inner.example:${inside.port}/x`);
	await box.pass(180_000);
	const delivery = await only(box);
	expect(delivery.status).toBe("dead");
	expect(delivery.attempts.map(({ error, address }) => [error, address])).toEqual(Array(4).fill(["dns_error", null]));
	expect(inside.connections).toBe(0);
});

test("13: an address stored before private networks were forbidden is blocked too", async () => {
	const inside = await receiver();
	const box = await outbox({ allowPrivateNetworks: false });
	await deliverOnce(box, `${inside.origin}/x`);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "ssrf_blocked" });
	expect(inside.connections).toBe(0);
});

test("13: no spelling of an address inside reaches the listener there, however it came into the outbox", async () => {
	const inside = await receiver();
	const wide = await startReceiver(undefined, "::");
	closeLater(wide);
	const { networkInterfaces } = await import("node:os");
	const own = Object.values(networkInterfaces()).flatMap((list) =>
		(list ?? []).map(({ address, family }) => (family === "IPv6" ? `[${address.split("%")[0]}]` : address)),
	);
	const hosts = [
		"127.0.0.1",
		"127.1",
		"0177.0.0.1",
		"0x7f000001",
		"2130706433",
		"0.0.0.0",
		"[::]",
		"[::1]",
		"[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]",
		"[::127.0.0.1]",
		"[64:ff9b::7f00:1]",
		"localhost",
		"localhost.",
		"169.254.169.254",
		...own,
	];
	const box = await outbox({
		allowPrivateNetworks: false,
		resolve: async () => ["127.0.0.1", "::1", "::ffff:127.0.0.1"],
	});
	const ports = [inside.port, wide.port];
	for (const [index, host] of hosts.entries())
		for (const port of ports) await box.put(`t${index}-${port}`, `http://${host}:${port}/x`);
	await box.put("name", `http://rebinding.example:${inside.port}/x`);
	await box.pass(180_000);
	expect([inside.connections, wide.connections]).toEqual([0, 0]);
	const errors = await box.store.run("SELECT DISTINCT error FROM delivery_attempts ORDER BY error");
	expect(errors).toEqual([{ error: "dns_error" }, { error: "ssrf_blocked" }]);
	expect(await box.store.run("SELECT DISTINCT state FROM deliveries")).toEqual([{ state: "dead" }]);
}, 20_000);

test("14: each attempt resolves once, checks that answer and dials it", async () => {
	const hook = await receiver(status(500));
	const answers = [["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1"], ["127.0.0.1"]];
	const asked: string[] = [];
	const box = await outbox({
		resolve: async (name) => {
			asked.push(name);
			return answers[asked.length - 1] ?? [];
		},
	});
	await deliverOnce(box, `http://rebinding.example:${hook.port}/x`);
	expect(asked).toEqual(["rebinding.example"]);
	expect(hook.received[0]?.headers.host).toBe(`rebinding.example:${hook.port}`);

	const strict = await outbox({ allowPrivateNetworks: false, resolve: async () => ["127.0.0.1"] });
	await strict.put("t1", `http://rebinding.example:${hook.port}/x`);
	await strict.pass(10_000);
	expect((await only(strict)).attempts).toMatchObject([{ error: "dns_error" }]);
	expect(hook.connections).toBe(1);
});

test("15: of public and private addresses only the public are dialled", async () => {
	const inside = await receiver();
	const { createSender } = await import("./sender.ts");
	const box = await outbox();
	const send = createSender({
		clock: box.clock,
		resolve: async () => ["127.0.0.1", "10.0.0.1", "192.0.2.1", "::1"],
		allowPrivateNetworks: false,
		httpsOnly: false,
		success: "200",
	});
	const sending = send({ url: `http://mixed.example:${inside.port}/x`, headers: {}, body: new Uint8Array() });
	await box.pass(5000);
	expect((await sending).error).toBe("dns_error");
	expect(inside.connections).toBe(0);
	const { dialable } = await import("#core");
	expect(await dialable("mixed.example", async () => ["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111"], false)).toEqual(
		["8.8.8.8", "2606:4700::1111"],
	);
});

test("15: when the first address refuses the connection the next is dialled, within the same limit", async () => {
	const hook = await receiver();
	const box = await outbox({ resolve: async () => ["127.0.0.2", "127.0.0.1"] });
	await deliverOnce(box, `http://two.example:${hook.port}/x`);
	expect(await only(box)).toMatchObject({ status: "delivered", attempts: [{ address: "127.0.0.1" }] });
});

test("16: a certificate that is not trusted is a failure", async () => {
	const tls = await import("node:tls");
	const { key, cert } = await selfSigned();
	let requests = 0;
	const server = tls.createServer({ key, cert }, (socket) => {
		socket.on("error", () => undefined);
		socket.on("data", () => requests++);
	});
	server.on("tlsClientError", () => undefined);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater({ close: () => new Promise((resolve) => server.close(() => resolve())) });
	const box = await outbox();
	await deliverOnce(box, `https://secure.example:${(server.address() as net.AddressInfo).port}/x`);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "tls_error", status: null });
	expect(requests).toBe(0);
});

test("16: so is one that comes without the certificate in between", async () => {
	const { createServer } = await import("node:https");
	const authority = createAuthority();
	const { cert, key } = authority.sign("secure.example");
	const server = createServer({ cert: textOf(cert), key: textOf(key) });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater({ close: () => new Promise((resolve) => server.close(() => resolve())) });
	const box = await outbox();
	await deliverOnce(box, `https://secure.example:${(server.address() as net.AddressInfo).port}/x`);
	expect((await only(box)).attempts[0]).toMatchObject({ error: "tls_error", status: null });
	authority.remove();
});

test("17: path, query and port arrive as given", async () => {
	const hook = await receiver();
	const box = await outbox();
	await deliverOnce(box, `http://receiver.example:${hook.port}/a%20b/c?d=e&f=%C3%BC`);
	expect(hook.received[0]?.path).toBe("/a%20b/c?d=e&f=%C3%BC");
	expect(hook.received[0]?.headers.host).toBe(`receiver.example:${hook.port}`);
});

test("49: this machine's own address is refused", async () => {
	const { networkInterfaces } = await import("node:os");
	const { dialable } = await import("#core");
	const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
	expect(await dialable("gateway.example", async () => own, false)).toBe("blocked");
});
