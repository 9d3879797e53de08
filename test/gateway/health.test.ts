/** What machines and people see of a Portico's state: health, readiness, ids and origins over the wire. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeEach(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1` }],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
		],
		config: { server: { cors: { origins: ["https://app.example"] } } },
	});
});
afterEach(async () => {
	await gateway.stop();
	await upstream.stop();
});

const question = { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] };
const chunk = (content: string, finish: string | null = null) =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

const status = async (path: string) => (await fetch(gateway.url + path)).status;

describe("while it is being stopped", () => {
	test("it lives but is not ready, refuses new calls, and lets those under way finish", async () => {
		const release = Promise.withResolvers<void>();
		upstream.answer(() => {
			const encoder = new TextEncoder();
			const body = new ReadableStream<Uint8Array>({
				async start(controller) {
					controller.enqueue(encoder.encode(chunk("begin")));
					await release.promise;
					controller.enqueue(encoder.encode(`${chunk(" end", "stop")}data: [DONE]\n\n`));
					controller.close();
				},
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		expect([
			await status("/healthz"),
			await status("/livez"),
			await status("/readyz"),
			await status("/health"),
		]).toEqual([200, 200, 200, 200]);
		const running = await gateway.ask("/v1/chat/completions", question);
		gateway.portico.drain();
		expect([
			await status("/healthz"),
			await status("/livez"),
			await status("/readyz"),
			await status("/health"),
		]).toEqual([200, 200, 503, 503]);
		expect(await (await fetch(`${gateway.url}/readyz`)).json()).toMatchObject({
			status: "unavailable",
			reason: "stopping",
		});
		expect(await status("/acceptz")).toBe(503);
		const refused = await gateway.ask("/v1/chat/completions", question);
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
		expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("shutting down") } });
		expect(gateway.portico.openCalls()).toBe(1);
		release.resolve();
		expect(await running.text()).toEndWith("data: [DONE]\n\n");
		expect(gateway.portico.openCalls()).toBe(0);
	});

	test("a stream that does not finish in time is told so in its own protocol", async () => {
		upstream.answer(() => {
			const body = new ReadableStream<Uint8Array>({
				start: (controller) => controller.enqueue(new TextEncoder().encode(chunk("begin"))),
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		const running = await gateway.ask("/v1/chat/completions", question);
		const text = running.text();
		await gateway.portico.stop();
		expect(await text).toMatch(/begin[\s\S]*data: \{"error":\{"message":"Portico is being stopped/);
		expect(await text).not.toContain("[DONE]");
	});
});

describe("a check as HAProxy makes it, by HTTP/1.0 and without Host", () => {
	const checked = async (line: string): Promise<string> => {
		const { promise, resolve } = Promise.withResolvers<string>();
		const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
		socket.once("data", (data) => resolve(String(data).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)));
		socket.write(`${line} HTTP/1.0\r\n\r\n`);
		const status = await promise;
		socket.destroy();
		return status;
	};

	test.each([
		["GET /acceptz", "200"],
		["GET /readyz?a=1", "200"],
		["HEAD /", "200"],
		["GET /v1/models", "401"],
		["GET /nothing", "404"],
		["GET /admin/plugins", "400"],
		["GET //admin/plugins", "404"],
		["GET /x/../admin/plugins", "404"],
		["GET /x/%2e%2e/admin/plugins", "404"],
		["GET \\admin\\plugins", "400"],
		["GET /\\admin/plugins", "404"],
	])("%s: %s", async (line, status) => {
		expect(await checked(line)).toBe(status);
	});
});

describe("over the wire", () => {
	test("a stream, an error and an unknown address all carry the id that was sent", async () => {
		upstream.answer(
			() =>
				new Response(`${chunk("Hi", "stop")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } }),
		);
		const headers = { "x-request-id": "trace-7" };
		for (const response of [
			await gateway.ask("/v1/chat/completions", question, { headers }),
			await gateway.ask("/v1/chat/completions", {}, { headers }),
			await gateway.ask("/nothing", undefined, { headers }),
		]) {
			expect([response.headers.get("x-request-id"), response.headers.get("request-id")]).toEqual([
				"trace-7",
				"trace-7",
			]);
			await response.body?.cancel();
		}
	});

	test("only pages of the configured origins may read an answer", async () => {
		const allowed = async (origin: string) =>
			(await gateway.ask("/v1/models", undefined, { headers: { origin } })).headers.get("access-control-allow-origin");
		expect([await allowed("https://app.example"), await allowed("https://evil.example")]).toEqual([
			"https://app.example",
			null,
		]);
		const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
			method: "OPTIONS",
			headers: { origin: "https://app.example" },
		});
		expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
			204,
			"https://app.example",
		]);
	});
});
