/** Promise: a request that packs megabytes into little costs no more than the little: it is refused before they are unpacked and read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as zlib from "node:zlib";
import { chatAnswer } from "../support/chat-answers.ts";
import { longestStop } from "./longest-stop.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(() => Response.json(chatAnswer()));
});
afterAll(() => world.stop());

const packers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
	gzip: zlib.gzipSync,
	deflate: zlib.deflateSync,
	zstd: zlib.zstdCompressSync,
};
const encodings = Object.keys(packers);

const requestOf = (content: string): Uint8Array =>
	new TextEncoder().encode(
		JSON.stringify({ model: "chat-completions-a", max_tokens: 5, messages: [{ role: "user", content }] }),
	);

const post = async (bytes: Uint8Array, encoding: string): Promise<Response> =>
	await fetch(`${world.gateway.url}/v1/chat/completions`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${world.gateway.key}`,
			"content-type": "application/json",
			"content-encoding": encoding,
		},
		body: Buffer.from(packers[encoding]?.(bytes) ?? bytes),
	});

test.each(encodings)("sixty megabytes of one letter in %s", async (encoding) => {
	const dense = requestOf("a".repeat(60_000_000));
	world.upstream.received.length = 0;
	const many = sized(5, 40);
	const { result, stoppedMs } = await longestStop(() =>
		Promise.all(Array.from({ length: many }, () => post(dense, encoding))),
	);
	for (const response of result) {
		expect(response.status).toBe(413);
		expect(await response.text()).toContain("more than a hundred times larger");
	}
	expect(world.upstream.received).toHaveLength(0);
	expect(stoppedMs).toBeLessThan(2_000);
});

test.each(encodings)("what text packs into, and little of anything, is read in %s", async (encoding) => {
	const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at} of the file`).join("\n");
	expect((await post(requestOf(lines), encoding)).status).toBe(200);
	expect((await post(requestOf("a".repeat(900_000)), encoding)).status).toBe(200);
});
