/** Failover through the front door: when another target is tried, and when nothing is. */
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { routerTo } from "../../test/support/router-to.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const path = "/v1/chat/completions";
const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const chunk = (content: string): string =>
	`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;

const open = async (urls: readonly string[]): Promise<TestGateway> => {
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", "messages", routerTo(urls)] });
	ends.push(() => gateway.stop());
	return gateway;
};

const scripted = (...words: Parameters<typeof startUpstream>): ScriptedUpstream => {
	const upstream = startUpstream(...words);
	ends.push(() => upstream.stop());
	return upstream;
};

/** A server that does with each connection and each request on it what it is told. */
const raw = async (act: (socket: Socket, request: number, connection: number) => void): Promise<string> => {
	let connections = 0;
	const server: Server = createServer((socket) => {
		const connection = ++connections;
		let requests = 0;
		socket.on("error", () => undefined);
		socket.on("data", () => act(socket, ++requests, connection));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	ends.push(() => server.close());
	const address = server.address();
	return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
};

const answered = (socket: Socket): void => {
	const text = JSON.stringify(completion);
	socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
};

describe("before the first byte", () => {
	test.each([
		["500", () => new Response("", { status: 500 })],
		["429", () => new Response("", { status: 429, headers: { "retry-after": "3600" } })],
		[
			"an error as the first event",
			() => streamOf(['data: {"error":{"message":"overloaded","type":"server_error"}}\n\n']),
		],
		["HTML", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
		["nothing at all", () => streamOf([])],
	])("%s: the next target answers", async (_, script) => {
		const first = scripted(script);
		const second = scripted(() => streamOf([chunk("Hi"), "data: [DONE]\n\n"]));
		const gateway = await open([first.url, second.url]);
		const response = await gateway.ask(path, { ...body, stream: true });
		expect(response.status).toBe(200);
		expect(await response.text()).toContain("Hi");
		expect([first.received.length, second.received.length]).toEqual([1, 1]);
	});

	test.each([
		[
			"chat",
			() =>
				Response.json(
					{ error: { message: "The model `m` does not exist.", code: "model_not_found" } },
					{ status: 404 },
				),
		],
		[
			"vLLM",
			() => Response.json({ object: "error", message: "The model `a.b` does not exist.", code: 404 }, { status: 404 }),
		],
	])("a model that the first does not know (%s): the next answers, and the last is believed", async (_, script) => {
		const [first, second, third] = [scripted(script), scripted(() => Response.json(completion)), scripted(script)];
		const gateway = await open([first.url, second.url]);
		expect((await gateway.ask(path, body)).status).toBe(200);
		const alone = await open([first.url, third.url]);
		expect((await alone.ask(path, body)).status).toBe(404);
		expect([first.received.length, second.received.length, third.received.length]).toEqual([2, 1, 1]);
	});

	describe("an account without credit", () => {
		const empty = () =>
			Response.json(
				{
					error: {
						message: "You exceeded your current quota, please check your plan and billing details.",
						type: "insufficient_quota",
						code: "insufficient_quota",
					},
				},
				{ status: 429 },
			);

		test("the next target answers, and the operator is told", async () => {
			const [first, second] = [scripted(empty), scripted(() => Response.json(completion))];
			const gateway = await open([first.url, second.url]);
			expect((await gateway.ask(path, body)).status).toBe(200);
			expect(gateway.log).toContainEqual(
				expect.objectContaining({
					level: "error",
					upstream: "up0",
					msg: expect.stringContaining("account is empty"),
				}),
			);
		});

		const inStream = (before: readonly string[]) => () =>
			streamOf([
				...before,
				`data: ${JSON.stringify({ error: { code: "insufficient_quota", message: "billing" } })}\n\n`,
			]);

		test.each([
			["a status", empty, { ...body }],
			["the first event", inStream([]), { ...body, stream: true }],
		])("without another, told by %s: the upstream's failure, not the client's quota", async (_, script, asked) => {
			const gateway = await open([scripted(script).url]);
			for (const at of [path, "/v1/messages"]) {
				const response = await gateway.ask(at, { max_tokens: 9, ...asked });
				expect(response.status).toBe(502);
				expect(await response.text()).not.toMatch(/insufficient_quota|billing/i);
			}
		});

		test("told in the middle of a stream: so too", async () => {
			const gateway = await open([scripted(inStream([chunk("Hel"), chunk("lo")])).url]);
			for (const at of [path, "/v1/messages"]) {
				const response = await gateway.ask(at, { max_tokens: 9, ...body, stream: true });
				const text = await response.text();
				expect(text).toContain('"error"');
				expect(text).not.toMatch(/insufficient_quota|billing/i);
			}
		});
	});

	test("a request that is wrong is not tried elsewhere", async () => {
		const first = scripted(() =>
			Response.json({ error: { message: "no", type: "invalid_request_error" } }, { status: 400 }),
		);
		const second = scripted(() => Response.json(completion));
		const gateway = await open([first.url, second.url]);
		expect((await gateway.ask(path, body)).status).toBe(400);
		expect(second.received).toHaveLength(0);
	});

	test("whatever wait an upstream asks for, clients hear of a minute at most", async () => {
		const first = scripted(() => new Response("", { status: 429, headers: { "retry-after": "86400" } }));
		const gateway = await open([first.url]);
		const response = await gateway.ask(path, body);
		expect(response.status).toBe(429);
		expect(Number(response.headers.get("retry-after"))).toBeLessThanOrEqual(60);
	});
});

describe("after the first byte", () => {
	test("nothing is tried again: the stream ends with an error, once", async () => {
		let reset = (): void => {};
		const url = await raw((socket) => {
			socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
			const event = chunk("Hel");
			socket.write(`${event.length.toString(16)}\r\n${event}\r\n`);
			reset = () => socket.resetAndDestroy();
		});
		const second = scripted(() => streamOf([chunk("Hi"), "data: [DONE]\n\n"]));
		const gateway = await open([url, second.url]);
		const answer = await gateway.ask(path, { ...body, stream: true });
		const decoder = new TextDecoder();
		let text = "";
		for await (const bytes of answer.body ?? []) {
			text += decoder.decode(bytes);
			// A reset takes along what has not been read, so it waits until the word is here.
			if (text.includes("Hel")) reset();
		}
		expect(text).toContain("Hel");
		expect(text.match(/"error"/g)).toHaveLength(1);
		expect(text).not.toContain("[DONE]");
		expect(second.received).toHaveLength(0);
	});
});

describe("a connection that was kept open and is closed as it is used again", () => {
	const stale = (counts: { requests: number }) =>
		raw((socket, request) => {
			counts.requests++;
			if (request > 1) socket.resetAndDestroy();
			else answered(socket);
		});

	test("is replaced once: the client notices nothing", async () => {
		const counts = { requests: 0 };
		const gateway = await open([await stale(counts)]);
		expect((await gateway.ask(path, body)).status).toBe(200);
		expect((await gateway.ask(path, body)).status).toBe(200);
		expect(counts.requests).toBe(3);
	});

	test("is not, for what must not happen twice", async () => {
		const counts = { requests: 0 };
		const gateway = await open([await stale(counts)]);
		expect((await gateway.ask(path, body)).status).toBe(200);
		const response = await gateway.ask(path, { ...body, tools: [{ type: "mcp", server_url: "https://example.com" }] });
		expect(response.status).toBe(502);
		expect(counts.requests).toBe(2);
	});

	test("is not replaced for ever: one try in ten, and twenty in hand", async () => {
		let requests = 0;
		const url = await raw((socket) => {
			requests++;
			socket.resetAndDestroy();
		});
		const gateway = await open([url]);
		for (let call = 0; call < 40; call++) expect((await gateway.ask(path, body)).status).toBe(502);
		expect(requests).toBe(40 + 20 + 3);
	});
});

test("operators see every upstream, used or not; anyone how many are well", async () => {
	const first = scripted(() => new Response("", { status: 500 }));
	const second = scripted(() => Response.json(completion));
	const gateway = await open([first.url, second.url]);
	expect(await gateway.admin("GET", "/admin/upstreams")).toEqual({
		data: [
			{ upstream: "up0", circuit: "closed", failures: 0 },
			{ upstream: "up1", circuit: "closed", failures: 0 },
		],
	});
	for (let call = 0; call < 5; call++) await gateway.ask(path, body);
	expect(await gateway.admin("GET", "/admin/upstreams")).toMatchObject({
		data: [
			{ circuit: "open", failures: 5, lastFailure: { kind: "upstream" } },
			{ circuit: "closed", failures: 0 },
		],
	});
	const { upstreams } = await gateway.admin("GET", "/admin/troubles");
	expect(upstreams).toMatchObject([
		{ upstream: "up0", circuit: "open", lastFailure: { advice: expect.stringContaining("try again later") } },
	]);
	expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({
		status: "ok",
		upstreams: { open: 1, closed: 1 },
	});
});
