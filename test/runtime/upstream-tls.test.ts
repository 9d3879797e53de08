/** A certificate authority of one's own and a client's certificate, as each runtime's `fetch` is told. Written for `node:test`. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { fetchWay, type TlsMaterial } from "../../core/runtime/fetch-way.ts";
import { systemClock } from "../../core/wire/system-clock.ts";
import { createHttpUpstream } from "../../plugins/router/http-upstream.ts";
import { createAuthority, textOf } from "../support/authority.ts";

const authority = createAuthority();
// Deno does not run the `after` of a file; it tells of its end by this event.
globalThis.addEventListener?.("unload", () => authority.remove());
const ca = textOf(authority.ca);
const portico = authority.sign("portico");
const own = { cert: textOf(portico.cert), key: textOf(portico.key) };
let server: Server;

const asked = async (tls: TlsMaterial): Promise<string> => {
	const { port } = server.address() as AddressInfo;
	const answer = await fetch(`https://127.0.0.1:${port}/`, fetchWay({ tls }) as RequestInit);
	return await answer.text();
};

before(async () => {
	const { cert, key } = authority.sign("upstream");
	const options = { ca, cert: textOf(cert), key: textOf(key), requestCert: true, rejectUnauthorized: false };
	server = createServer(options, ({ socket }, answer) => {
		answer.end((socket as TLSSocket).authorized ? "known" : "unknown");
	});
	await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
});

after(() => {
	server.closeAllConnections();
	server.close();
	authority.remove();
});

test("a server is believed by its authority, and by no other", async () => {
	assert.equal(await asked({ ca }), "unknown");
	await assert.rejects(asked({}));
	const other = createAuthority();
	await assert.rejects(asked({ ca: textOf(other.ca) }));
	other.remove();
	// The connection of before is not another's.
	await assert.rejects(asked(own));
});

test("a certificate is shown", async () => {
	assert.equal(await asked({ ca, ...own }), "known");
	assert.equal(await asked({ ca }), "unknown");
});

test("an upstream is made of what cannot be used, so that the check of the config says what is wrong with it", () => {
	const quiet = { debug() {}, info() {}, warn() {}, error() {}, of: () => quiet };
	const setting = { name: "inner", protocol: "chat-completions", url: "https://127.0.0.1:1", tls: { cert: "none" } };
	const more = { clock: systemClock, log: quiet, protocolNamed: () => undefined, random: Math.random };
	assert.equal(createHttpUpstream({ setting, ...more }).name, "inner");
});
