/** Streams that their upstream breaks off speak of it; a client that leaves, or does not read, never does. */
import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { asList, asRecord } from "#core";
import {
	createTestClock,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestClock,
	type TestGateway,
} from "#core/testing";
import { postHead } from "../attacks/raw-client.ts";
import { chatAnswer, chatChunk, chatStream } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";
import { routerTo } from "../support/router-to.ts";

const whole = chatStream([{ content: "Hello" }, { content: " there" }]);
/** It ends without saying that it does. */
const cut = whole.slice(0, 2);
const failing = [
	...cut,
	`data: ${JSON.stringify({ error: { message: "The engine died.", type: "server_error" } })}\n\n`,
];

let clock: TestClock;
let gateway: TestGateway;
let first: ScriptedUpstream;
let second: ScriptedUpstream;
const open = async (): Promise<void> => {
	clock = createTestClock();
	first = startUpstream(() => streamOf(cut));
	second = startUpstream(() => streamOf(whole));
	gateway = await startGateway({
		clock,
		plugins: ["tokens", "chat-completions", "ledger", routerTo([first.url, second.url])],
	});
};
afterEach(async () => {
	await gateway.stop();
	await first.stop();
	await second.stop();
});

const messages = [{ role: "user", content: "hi" }];
const ask = (body: object, init: RequestInit = {}) =>
	gateway.ask("/v1/chat/completions", { model: "m", messages, ...body }, init);
const stream = async (key: unknown = gateway.key): Promise<string> => {
	const headers = { authorization: `Bearer ${String(key)}` };
	return await (await ask({ stream: true }, { headers })).text();
};
const state = async () => {
	const { data } = await gateway.admin("GET", "/admin/upstreams");
	return asRecord(asList(data)[0]);
};

test.each([
	["cuts", cut],
	["fails within", failing],
])("one that %s all its streams is left alone for all, until one comes to its end", async (_, pieces) => {
	await open();
	first.answer(() => streamOf(pieces));
	const { key: others } = await gateway.admin("POST", "/admin/tokens", { name: "other" });
	for (let time = 0; time < 5; time++) expect(await stream()).not.toContain("[DONE]");
	expect(await state()).toMatchObject({
		circuit: "open",
		failures: 5,
		lastFailure: { status: 200, advice: expect.any(String) },
	});
	expect(await stream()).toContain("[DONE]");
	// For whom it has not failed it is tried.
	expect(await stream(others)).not.toContain("[DONE]");
	expect(await stream(others)).toContain("[DONE]");
	// What looks whether it has recovered is not believed at its first word.
	await clock.advance(5_000);
	expect(await stream()).not.toContain("[DONE]");
	expect(await state()).toMatchObject({ circuit: "open" });
	await clock.advance(10_000);
	first.answer(() => streamOf(whole));
	const asked = first.received.length;
	expect(await stream()).toContain("[DONE]");
	expect(first.received).toHaveLength(asked + 1);
	expect(await state()).toMatchObject({ circuit: "closed", failures: 0 });
});

test("five broken streams of two callers keep everybody away, and not the last of them alone", async () => {
	await open();
	const [{ key: others }, { key: third }] = [await gateway.token(), await gateway.token()];
	for (let time = 0; time < 4; time++) expect(await stream()).not.toContain("[DONE]");
	expect(await stream(others)).not.toContain("[DONE]");
	for (const key of [gateway.key, others, third]) expect(await stream(key)).toContain("[DONE]");
	expect(first.received).toHaveLength(5);
});

test("one in which a stream comes to its end now and then is not", async () => {
	await open();
	for (let time = 1; time <= 20; time++) {
		first.answer(() => streamOf(time % 5 === 0 ? whole : cut));
		await stream();
	}
	expect(first.received).toHaveLength(20);
	expect(await state()).toMatchObject({ circuit: "closed" });
});

test("whole answers between them do not hide it; one that is tried then is enough", async () => {
	await open();
	for (let time = 0; time < 5; time++) {
		first.answer(() => Response.json(chatAnswer()));
		await (await ask({})).text();
		first.answer(() => streamOf(cut));
		await stream();
	}
	expect(await state()).toMatchObject({ circuit: "open" });
	await clock.advance(5_000);
	first.answer(() => Response.json(chatAnswer()));
	await (await ask({})).text();
	expect(await state()).toMatchObject({ circuit: "closed", failures: 0 });
});

test("a client's leaving counts neither for it nor against it", async () => {
	await open();
	for (let time = 0; time < 4; time++) await stream();
	first.answer(() => {
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => controller.enqueue(new TextEncoder().encode(chatChunk({ content: "Hello" }))),
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const before = (await gateway.admin("GET", "/admin/calls?limit=50"))["data"];
	for (let time = 0; time < 6; time++) {
		const client = new AbortController();
		const answer = await ask({ stream: true }, { signal: client.signal });
		await answer.body?.getReader().read();
		client.abort();
	}
	const calls = async () => asList((await gateway.admin("GET", "/admin/calls?limit=50"))["data"]).map(asRecord);
	await until(async () => (await calls()).length === asList(before).length + 6);
	expect((await calls()).filter(({ ending }) => ending === "client_left")).toHaveLength(6);
	expect(await state()).toMatchObject({ circuit: "closed" });
	first.answer(() => streamOf(cut));
	await stream();
	expect(await state()).toMatchObject({ circuit: "open" });
});

test("nor does it that it was broken off when its client had not read it for long", async () => {
	await open();
	const large = chatChunk({ content: "x".repeat(100_000) });
	let sent = 0;
	let breakOff = (): void => undefined;
	// More than all buffers on the way to the client take; then it waits until it is told to break off.
	first.answer(() => {
		let left = 200;
		const { promise, resolve } = Promise.withResolvers<void>();
		breakOff = resolve;
		const body = new ReadableStream<Uint8Array>({
			async pull(controller) {
				sent++;
				if (left-- > 0) return controller.enqueue(new TextEncoder().encode(large));
				await promise;
				controller.error(new Error("nobody reads it"));
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const { hostname, port } = new URL(gateway.url);
	const text = JSON.stringify({ model: "m", messages, stream: true });
	for (let time = 0; time < 6; time++) {
		sent = 0;
		// Of a socket that is paused no more is read: `fetch` reads ahead, as much as it likes.
		const client = connect(Number(port), hostname);
		client.on("error", () => undefined);
		client.pause();
		client.write(`${postHead("/v1/chat/completions", gateway.key, text.length)}${text}`);
		await until(() => sent > 0);
		for (let before = -1; before < sent; await new Promise((resolve) => setTimeout(resolve, 100))) before = sent;
		expect(gateway.portico.openCalls()).toBe(1);
		await clock.advance(2_000);
		breakOff();
		client.resume();
		await until(() => gateway.portico.openCalls() === 0);
		client.destroy();
	}
	expect(first.received).toHaveLength(6);
	expect(await state()).toMatchObject({ circuit: "closed", failures: 0 });
}, 30_000);
