/** Promise: what an upstream packs into little holds up nobody else: it is unpacked as it is read, and no further than that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import process from "node:process";
import * as zlib from "node:zlib";
import { unpacked } from "#core";
import { chatAnswer } from "../support/chat-answers.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

/** What a gigabyte of spaces packs into. */
const bomb = Buffer.concat(Array.from({ length: 4 }, () => zlib.zstdCompressSync(Buffer.alloc(2 ** 28, " "))));

const packers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
	gzip: zlib.gzipSync,
	deflate: zlib.deflateSync,
	br: zlib.brotliCompressSync,
	zstd: zlib.zstdCompressSync,
};

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ config: { server: { answerLimitBytes: 1024 * 1024 } } });
});
afterAll(() => world.stop());

const ask = (stream = false): Promise<Response> =>
	world.gateway.ask("/v1/chat/completions", {
		model: "chat-completions-a",
		messages: [{ role: "user", content: "Hello" }],
		stream,
	});

const packed = (bytes: Uint8Array, encoding: string, status = 200, type = "application/json"): Response =>
	new Response(Buffer.from(bytes), { status, headers: { "content-type": type, "content-encoding": encoding } });

test.each([
	[200, false],
	[200, true],
	[500, false],
])("a gigabyte in %d (stream: %p)", async (status, stream) => {
	world.upstream.answer(() => packed(bomb, "zstd", status, stream ? "text/event-stream" : undefined));
	const { user, system } = process.cpuUsage();
	const answer = await ask(stream);
	await answer.text();
	expect(answer.status).toBe(502);
	const after = process.cpuUsage();
	// Of all threads together: unpacking it whole takes seconds.
	expect((after.user - user + after.system - system) / 1000).toBeLessThan(700);
});

test.each(Object.entries(packers))(
	"an answer that is packed as %s, though nobody asked for it, is read",
	async (name, pack) => {
		world.upstream.answer(() => packed(pack(Buffer.from(JSON.stringify(chatAnswer("packed")))), name));
		const answer = await ask();
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-encoding")).toBeNull();
		expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "packed" } }] });
	},
);

test("an answer whose packing nobody knows is passed as it is", async () => {
	world.upstream.answer(() => packed(Buffer.from(JSON.stringify(chatAnswer("plain"))), "none"));
	expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: "plain" } }] });
});

test.each(Object.keys(packers))(
	"an answer that says it is %s and has nothing in it is empty, not broken off",
	async (name) => {
		const empty = new Response(new ReadableStream({ start: (controller) => controller.close() }), {
			headers: { "content-encoding": name },
		});
		expect(await unpacked(empty).text()).toBe("");
		const torn = new Response(new Uint8Array([1, 2, 3]), { headers: { "content-encoding": name } });
		expect(unpacked(torn).text()).rejects.toThrow();
		const lost = new Response(new ReadableStream({ start: (controller) => controller.error(new Error("gone")) }), {
			headers: { "content-encoding": name },
		});
		expect(unpacked(lost).text()).rejects.toThrow("gone");
	},
);

test("an answer that is left is unpacked no further", async () => {
	let pulled = 0;
	const cancelled = Promise.withResolvers<void>();
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			pulled++;
			controller.enqueue(zlib.gzipSync(Buffer.alloc(100_000)));
		},
		cancel: () => cancelled.resolve(),
	});
	const reader = unpacked(new Response(body, { headers: { "content-encoding": "gzip" } })).body?.getReader();
	expect((await reader?.read())?.done).toBe(false);
	await reader?.cancel();
	await cancelled.promise;
	expect(pulled).toBeLessThan(1_000);
});
