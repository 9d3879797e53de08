/** Limits through the front door: calls at once, slow bodies, slow readers, silent and endless upstreams, large answers. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import {
	createTestClock,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestClock,
	type TestGateway,
} from "#core/testing";
import { until } from "../support/moved-clock.ts";

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const open = async (
	server: Record<string, unknown> = {},
	clock?: TestClock,
): Promise<{ gateway: TestGateway; upstream: ScriptedUpstream }> => {
	const upstream = startUpstream();
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"audio",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, firstByteSeconds: 1000 },
					],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
		],
		config: { server },
		...(clock && { clock }),
	});
	ends.push(
		() => upstream.stop(),
		() => gateway.stop(),
	);
	return { gateway, upstream };
};

const path = "/v1/chat/completions";
const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface ErrorBody {
	readonly error: { readonly code: string; readonly message: string };
}

describe("calls at once", () => {
	test("beyond maxCalls wait, and are answered when a place is free", async () => {
		const { gateway, upstream } = await open({ maxCalls: 1 });
		const held = Promise.withResolvers<Response>();
		upstream.answer(() => (upstream.received.length === 1 ? held.promise : Response.json(completion)));
		const first = gateway.ask(path, body);
		await until(() => upstream.received.length === 1);
		const second = gateway.ask(path, body);
		await until(() => gateway.portico.openCalls() === 2);
		expect(upstream.received).toHaveLength(1);
		held.resolve(Response.json(completion));
		expect((await first).status).toBe(200);
		expect((await second).status).toBe(200);
	});

	test("are counted after many have ended as they were before", async () => {
		const { gateway, upstream } = await open({ maxCalls: 2 });
		upstream.answer(() => Response.json(completion));
		for (let call = 0; call < 5; call++) expect((await gateway.ask(path, body)).status).toBe(200);
		const held = Promise.withResolvers<void>();
		upstream.answer(async () => {
			if (upstream.received.length <= 7) await held.promise;
			return Response.json(completion);
		});
		const asked = Array.from({ length: 4 }, () => gateway.ask(path, body));
		await until(() => upstream.received.length === 7 && gateway.portico.openCalls() === 4);
		// Two run and as many wait as may run.
		expect((await gateway.ask(path, body)).status).toBe(503);
		held.resolve();
		for (const answer of asked) expect((await answer).status).toBe(200);
	});

	test("that wait too long: 503 with retry-after, in the ledger", async () => {
		const clock = createTestClock();
		const { gateway, upstream } = await open({ maxCalls: 1, queueSeconds: 5 }, clock);
		const held = Promise.withResolvers<Response>();
		upstream.answer(() => held.promise);
		const first = gateway.ask(path, body);
		await until(() => upstream.received.length === 1);
		const second = gateway.ask(path, body);
		await until(() => gateway.portico.openCalls() === 2);
		await clock.advance(5000);
		const refused = await second;
		expect(refused.status).toBe(503);
		expect(refused.headers.get("retry-after")).toBe("2");
		expect(((await refused.json()) as ErrorBody).error.code).toBe("server_is_overloaded");
		held.resolve(Response.json(completion));
		expect((await first).status).toBe(200);
		expect(await gateway.admin("GET", "/admin/usage")).toBeDefined();
	});

	test("of one token beyond maxCallsPerToken: 429, while another token is served", async () => {
		const { gateway, upstream } = await open({ maxCallsPerToken: 1 });
		const held = Promise.withResolvers<Response>();
		upstream.answer(() => (upstream.received.length === 1 ? held.promise : Response.json(completion)));
		const first = gateway.ask(path, { ...body, stream: true });
		await until(() => upstream.received.length === 1);
		const refused = await gateway.ask(path, body);
		expect(refused.status).toBe(429);
		expect(refused.headers.get("retry-after")).toBe("1");
		expect(((await refused.json()) as ErrorBody).error.code).toBe("too_many_calls");
		const { key } = await gateway.token();
		expect((await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
		held.resolve(Response.json(completion));
		await (await first).text();
		expect((await gateway.ask(path, body)).status).toBe(200);
	});

	test("are counted down however a call ends", async () => {
		const { gateway, upstream } = await open({ maxCalls: 1, queueSeconds: 0 });
		const abandoned = new AbortController();
		upstream.answer(() => new Promise<Response>(() => undefined));
		const left = gateway.ask(path, body, { signal: abandoned.signal }).catch(() => undefined);
		await until(() => upstream.received.length === 1);
		abandoned.abort();
		await left;
		await until(() => gateway.portico.openCalls() === 0);
		for (const [answer, status] of [
			[() => new Response("<html>", { status: 500 }), 502],
			[() => Response.json(completion), 200],
			[() => streamOf(["data: {"]), 502],
			[() => Response.json(completion), 200],
		] as const) {
			upstream.answer(answer);
			expect((await gateway.ask(path, body)).status).toBe(status);
		}
		expect((await gateway.ask(path, "{")).status).toBe(400);
		expect((await gateway.ask(path, { ...body, model: "none" })).status).toBe(404);
		expect((await gateway.ask(path, body)).status).toBe(200);
	});
});

/** A request whose body is sent by hand. */
const dripping = (
	gateway: TestGateway,
	length: number,
	[at, type]: readonly [string, string] = [path, "application/json"],
): { socket: Socket; text: () => string; closed: Promise<void> } => {
	const { port, host } = new URL(gateway.url);
	let text = "";
	const socket = connect(Number(port), "127.0.0.1", () =>
		socket.write(
			`POST ${at} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n{`,
		),
	);
	socket.on("data", (data) => {
		text += String(data);
	});
	socket.on("error", () => undefined);
	return { socket, text: () => text, closed: new Promise((resolve) => socket.on("close", () => resolve())) };
};

describe("bodies that do not come", () => {
	test.each([
		["JSON", [path, "application/json"]],
		["a form", ["/v1/audio/transcriptions", "multipart/form-data; boundary=x"]],
	] as const)("within bodySeconds, %s: 408, and the connection is closed", async (_, kind) => {
		const clock = createTestClock();
		const { gateway } = await open({ bodySeconds: 10 }, clock);
		const { text, closed } = dripping(gateway, 100, kind);
		await until(() => gateway.portico.openCalls() === 1);
		await turn();
		await clock.advance(9999);
		expect(text()).toBe("");
		await clock.advance(1);
		await closed;
		expect(text()).toStartWith("HTTP/1.1 408");
		expect(text()).toContain('"code":"request_timeout"');
		expect(text()).toContain("write it `100-continue`");
	});

	test("at the least rate, when they are large, are cut as well; what came early buys no rest", async () => {
		const clock = createTestClock();
		const { gateway } = await open({ bodySeconds: 10 }, clock);
		const { socket, text, closed } = dripping(gateway, 4_000_000);
		await until(() => gateway.portico.openCalls() === 1);
		socket.write("x".repeat(160_000));
		await until(() => gateway.portico.budget.held > 160_000);
		await clock.advance(9_000);
		socket.write("x".repeat(160_000));
		await until(() => gateway.portico.budget.held > 320_000);
		// Ten seconds from the last piece on, and not twenty for all that came.
		await clock.advance(9_000);
		expect(text()).toBe("");
		await clock.advance(1_001);
		await closed;
		expect(text()).toStartWith("HTTP/1.1 408");
	});
});

describe("time", () => {
	test("a call may last callSeconds, whatever it waits for", async () => {
		const clock = createTestClock();
		const { gateway, upstream } = await open({ callSeconds: 100 }, clock);
		upstream.answer(() => new Promise<Response>(() => undefined));
		const asked = gateway.ask(path, body);
		await until(() => upstream.received.length === 1);
		await clock.advance(100_000);
		expect((await asked).status).toBe(504);
		await until(() => upstream.received[0]?.signal.aborted === true);
	});

	test("a client that does not read is let go after idleSeconds, and its upstream with it", async () => {
		const clock = createTestClock();
		const { gateway, upstream } = await open({ idleSeconds: 30 }, clock);
		const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(60_000) } }] })}\n\n`;
		let sent = 0;
		upstream.answer(
			() =>
				new Response(
					new ReadableStream({
						async pull(controller) {
							sent++;
							controller.enqueue(new TextEncoder().encode(chunk));
							await turn();
						},
					}),
					{ headers: { "content-type": "text/event-stream" } },
				),
		);
		const { port, host } = new URL(gateway.url);
		const text = JSON.stringify({ ...body, stream: true });
		const socket = connect(Number(port), "127.0.0.1", () => {
			socket.pause();
			socket.write(
				`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
			);
		});
		socket.on("error", () => undefined);
		// Buffers of the system fill; then nothing is asked of the upstream any more.
		for (let before = -1, same = 0; same < 50; before = sent) {
			same = before === sent && sent > 0 ? same + 1 : 0;
			await new Promise((resolve) => setTimeout(resolve, 2));
		}
		expect(gateway.portico.openCalls()).toBe(1);
		// More than once: a busy machine may only have paused, and what is sent after the clock was moved is read anew.
		await until(async () => {
			await clock.advance(31_000);
			return gateway.portico.openCalls() === 0;
		}, "the end of a call whose client does not read");
		await until(() => upstream.received[0]?.signal.aborted === true, "the end of its upstream");
		socket.destroy();
	});
});

describe("answers that are too large", () => {
	const limit = { answerLimitBytes: 100_000 };
	const large = () => JSON.stringify({ ...completion, padding: "x".repeat(200_000) });

	test("in one piece, declared or not, or packed small: 502", async () => {
		const { gateway, upstream } = await open(limit);
		const zipped = await new Response(
			new Blob([large()]).stream().pipeThrough(new CompressionStream("gzip")),
		).arrayBuffer();
		const type = { "content-type": "application/json" };
		for (const answer of [
			() => new Response(large(), { headers: type }),
			() => streamOf([large().slice(0, 90_000), large().slice(90_000)], "application/json"),
			() => new Response(zipped, { headers: { ...type, "content-encoding": "gzip" } }),
		]) {
			upstream.answer(answer);
			const response = await gateway.ask(path, body);
			expect(response.status).toBe(502);
			expect(((await response.json()) as ErrorBody).error.code).toBe("upstream_answer_too_large");
		}
		upstream.answer(() => Response.json(completion));
		expect((await gateway.ask(path, body)).status).toBe(200);
	});

	test("as one event of a stream: the stream ends with an error", async () => {
		const { gateway, upstream } = await open(limit);
		const small = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "a" } }] })}\n\n`;
		upstream.answer(() => streamOf([small, `data: ${large().slice(0, 90_000)}`, large()]));
		const text = await (await gateway.ask(path, { ...body, stream: true })).text();
		expect(text).toContain('"error"');
		expect(text).not.toContain("[DONE]");
	});

	test("as a stream that is to be one piece: 502", async () => {
		const { gateway, upstream } = await open(limit);
		const piece = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "x".repeat(20_000) } }] })}\n\n`;
		upstream.answer(() => streamOf(Array.from({ length: 10 }, () => piece)));
		expect((await gateway.ask(path, body)).status).toBe(502);
	});
});
