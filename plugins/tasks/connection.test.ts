/** What is known of a request to an upstream that gave no answer: one that was never sent is asked again, and nobody pays for it. */
import { expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Log } from "#core";
import { createConnection } from "./connection.ts";
import { UpstreamWatches } from "./upstream-watch.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => log };
const { signal } = new AbortController();
const headers = () => ({});
const ignore = () => undefined;
const untold = { keyRefused: ignore, failing: ignore, recovered: ignore };
const watches = new UpstreamWatches({ clock: { now: () => 0 }, log, ...untold });
const parts = { log, watch: watches.of("upstream.example") };

test.each([
	["ECONNREFUSED", "never"],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "never"],
	["EMFILE", "never"],
	["EADDRNOTAVAIL", "never"],
	["ECONNRESET", "unknown"],
	["ETIMEDOUT", "unknown"],
] as const)("%s: sent %s", async (code, sent) => {
	const fetch = () => Promise.reject(Object.assign(new TypeError("no"), { code }));
	const connection = createConnection({ url: "https://upstream.example", headers, fetch }, parts);
	expect(await connection.ask("/jobs", { body: {}, signal })).toEqual({ sent });
});

test("an upstream that speaks no TLS where the config says https has been sent nothing", async () => {
	const plain = createServer((socket) => {
		socket.on("error", () => undefined);
		socket.once("data", () => void socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"));
	});
	await new Promise<void>((listens) => plain.listen(0, "127.0.0.1", listens));
	const address = plain.address();
	const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
	expect(await createConnection({ url, headers }, parts).ask("/jobs", { body: {}, signal })).toEqual({ sent: "never" });
	await new Promise((closed) => plain.close(closed));
});
