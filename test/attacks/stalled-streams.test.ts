/** Streams whose clients do not read, and events that never end, hold of memory what the budget of all calls has room for. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { startGateway, type TestGateway } from "#core/testing";
import { postHead, until } from "./raw-client.ts";

const megabyte = 1024 * 1024;
const memoryBytes = 20 * megabyte;
/** What was read of a stream before its client's socket was full, four megabytes at most; sockets differ. */
const unreadBytes = 3 * megabyte;

const chunk = (content: string): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const block = chunk("x".repeat(200)).repeat(200);
const plain = `${chunk("Good.")}data: [DONE]\n\n`;

/** Writes without end, as fast as it is taken. */
const pour = (socket: Socket, bytes: string): void => {
	while (!socket.destroyed) {
		if (socket.write(bytes)) continue;
		socket.once("drain", () => setImmediate(() => pour(socket, bytes)));
		return;
	}
};

let upstream: Server;
let gateway: TestGateway;
const clients: Socket[] = [];

beforeAll(async () => {
	upstream = createServer((socket) => {
		socket.on("error", () => undefined);
		socket.once("data", (request) => {
			socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
			const asked = request.toString("latin1");
			if (asked.includes("endless event")) {
				socket.write(`${chunk("Hi")}data: `);
				pour(socket, "x".repeat(megabyte));
			} else if (asked.includes("endless stream")) pour(socket, block);
			else socket.end(plain);
		});
	});
	await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
	const address = upstream.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	const url = `http://127.0.0.1:${address.port}/v1`;
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			{
				use: "router",
				with: {
					upstreams: [{ name: "fast", protocol: "chat-completions", url, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "fast" }] }],
				},
			},
		],
		config: { server: { memoryBytes } },
	});
});
afterAll(async () => {
	await gateway.stop();
	upstream.close();
});
beforeEach(async () => {
	for (const client of clients.splice(0)) client.destroy();
	await until(() => gateway.portico.openCalls() === 0);
	expect(gateway.portico.budget.held).toBe(0);
});

const bodyOf = (content: string): string =>
	JSON.stringify({ model: "m", stream: true, max_tokens: 50, messages: [{ role: "user", content }] });

/** Asks for a stream without end and reads nothing of it. */
const stall = (key: string, path: string): Socket => {
	const { hostname, port } = new URL(gateway.url);
	const body = bodyOf("endless stream");
	const client = connect(Number(port), hostname, () => client.write(postHead(path, key, body.length) + body));
	client.on("error", () => undefined);
	client.pause();
	clients.push(client);
	return client;
};

describe.each([
	["passed through", "/v1/chat/completions"],
	["translated", "/v1/messages"],
])("%s", (_, path) => {
	test("a stream that is not read is counted, one too many is broken off, and another token is served", async () => {
		const [greedy, other] = [await gateway.token(), await gateway.token()];
		for (let number = 0; number < 2; number++) stall(greedy.key, path);
		await until(() => gateway.portico.budget.held >= 2 * unreadBytes);
		expect(gateway.portico.openCalls()).toBe(2);
		stall(greedy.key, path);
		// Two of the three is all that one token may hold; the third goes.
		await until(() => gateway.portico.openCalls() === 3);
		await until(() => gateway.portico.openCalls() === 2);
		expect(gateway.portico.budget.held).toBeLessThanOrEqual(memoryBytes / 2);
		const headers = { authorization: `Bearer ${other.key}` };
		expect(await (await gateway.ask("/v1/chat/completions", bodyOf("Hello"), { headers })).text()).toBe(plain);
	}, 20_000);

	test("a client that reads again gives its room back", async () => {
		const { key } = await gateway.token();
		const client = stall(key, path);
		await until(() => gateway.portico.budget.held >= unreadBytes);
		client.on("data", () => undefined);
		client.resume();
		await until(() => gateway.portico.budget.held < megabyte);
		expect(gateway.portico.openCalls()).toBe(1);
	}, 20_000);

	test("an event without an end is broken off where there is no room for more of it", async () => {
		const { key } = await gateway.token();
		const headers = { authorization: `Bearer ${key}` };
		const response = await gateway.ask(path, bodyOf("endless event"), { headers });
		const text = await response.text();
		expect(text).toContain("Hi");
		expect(text).toContain("hold as many bytes of requests and answers");
		await until(() => gateway.portico.budget.held === 0);
	}, 20_000);
});
