/** Upstreams of an inner network: their authority is in the config, and they want to know who calls. A reload reads both anew. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { startGateway, type TestGateway } from "#core/testing";
import { createAuthority, textOf } from "../support/authority.ts";

const [authority, other] = [createAuthority(), createAuthority()];
const mine = authority.sign("portico");
let server: Server;
let gateway: TestGateway;

const upstream = (more: object, url = "https://127.0.0.1:1") => ({
	name: "main",
	protocol: "chat-completions",
	url,
	...more,
});

const start = (main: object, folder?: string) =>
	startGateway({
		...(folder !== undefined && { folder }),
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "router", with: { upstreams: [main], models: [{ name: "m", targets: [{ upstream: "main" }] }] } },
		],
	});

const ask = async () => {
	const answer = await gateway.ask("/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }] });
	const body = (await answer.json()) as { choices?: [{ message: { content: string } }] };
	return [answer.status, body.choices?.[0].message.content];
};

beforeAll(async () => {
	const { cert, key } = authority.sign("upstream");
	const options = { ca: textOf(authority.ca), cert: textOf(cert), key: textOf(key) };
	server = createServer({ ...options, requestCert: true, rejectUnauthorized: false }, ({ socket }, answer) => {
		const content = (socket as TLSSocket).authorized ? "known" : "unknown";
		const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
		answer.setHeader("content-type", "application/json");
		answer.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices }));
	});
	await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
});

afterAll(async () => {
	await gateway.stop();
	server.closeAllConnections();
	server.close();
	for (const one of [authority, other]) one.remove();
});

test("an upstream is believed by the config's authority and knows who calls, also what a reload brings", async () => {
	const { port } = server.address() as AddressInfo;
	const tls = { ca: `\${file:${authority.ca}}`, cert: `\${file:${mine.cert}}`, key: `\${file:${mine.key}}` };
	gateway = await start(upstream({ tls }, `https://127.0.0.1:${port}`), join(authority.ca, ".."));
	expect(await ask()).toEqual([200, "known"]);
	const { folder } = gateway;
	copyFileSync(authority.ca, join(folder, "kept.pem"));
	copyFileSync(other.ca, join(folder, "ca.pem"));
	await gateway.admin("POST", "/admin/reload");
	expect((await ask())[0]).toBe(502);
	copyFileSync(join(folder, "kept.pem"), join(folder, "ca.pem"));
	await gateway.admin("POST", "/admin/reload");
	expect(await ask()).toEqual([200, "known"]);
	const shown = await fetch(`${gateway.url}/admin/config`, {
		headers: { authorization: `Bearer ${gateway.adminToken}` },
	});
	expect(await shown.text()).not.toContain("PRIVATE KEY");
});

test("what cannot be used is complained of before the start", async () => {
	const [cert, key] = [textOf(mine.cert), textOf(mine.key)];
	const complaint = (main: object) =>
		start(main).then(
			() => "it started",
			({ message }: Error) => message,
		);
	expect(await complaint(upstream({ tls: { ca: "/etc/ca.pem" } }))).toContain("no certificate in PEM");
	const torn = textOf(authority.ca) + textOf(other.ca).slice(0, 100);
	expect(await complaint(upstream({ tls: { ca: torn } }))).toContain("no certificate in PEM");
	const several = `# inner\n${textOf(authority.ca)}\n# outer\n${textOf(other.ca)}`;
	await (await start(upstream({ tls: { ca: several } }))).stop();
	expect(await complaint(upstream({ tls: { cert } }))).toContain("cert and key together");
	expect(await complaint(upstream({ tls: { cert, key: "secret words" } }))).toContain("the key of tls is none in PEM");
	const others = textOf(other.sign("portico").key);
	expect(await complaint(upstream({ tls: { cert, key: others } }))).toContain("the key of tls is not that of its cert");
	expect(await complaint(upstream({ tls: { cert, key } }, "http://127.0.0.1:1"))).toContain("must begin with https://");
});
