/** The line of a call: its fields, and that nothing else gets in. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { CallRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { lineOf } from "./line.ts";

const call: CallRecord = {
	id: "req_1",
	requestId: "mine-1",
	at: 0,
	route: "/v1/models/*:generateContent",
	protocol: "generate-content",
	operation: "generate",
	model: "m",
	stream: true,
	status: 200,
	outcome: { ending: "completed", sent: true, contentBytes: 4, pieces: 1 },
	attempts: [],
	durationMs: 12.6,
	losses: [],
};

describe("the line of a call", () => {
	test("has the request's id and whole milliseconds, and leaves out what is not known", () => {
		expect(JSON.parse(JSON.stringify(lineOf(call)))).toEqual({
			request_id: "mine-1",
			call_id: "req_1",
			protocol: "generate-content",
			operation: "generate",
			route: "/v1/models/*:generateContent",
			model_requested: "m",
			status: 200,
			ending: "completed",
			stream: true,
			duration_ms: 13,
			attempts: 0,
		});
	});

	test("tells what was used and what it cost", () => {
		const usage = { input: { total: 10, cacheRead: 4 }, output: { total: 20, reasoning: 5 }, estimated: true };
		expect(
			lineOf({ ...call, firstByteMs: 3.2, outcome: { ...call.outcome, usage }, charge: { charged: 77 } }),
		).toMatchObject({
			input_tokens: 10,
			cached_tokens: 4,
			output_tokens: 20,
			reasoning_tokens: 5,
			estimated: true,
			cost: 77,
			ttft_ms: 3,
		});
	});

	test("tells how many refusals it stands for", () => {
		expect(lineOf({ ...call, repeats: 133 })).toMatchObject({ repeats: 133 });
	});

	test("is one line whatever a client calls itself and its model", () => {
		const hostile = `a\nb\r\u2028\u0085\u001b[31m\u009b tail`;
		const line = JSON.stringify(lineOf({ ...call, model: hostile, userAgent: hostile }));
		for (const control of ["\n", "\r", "\u2028", "\u0085", "\u001b", "\u009b"]) expect(line).not.toContain(control);
		expect(line).toContain("a\\nb");
		expect(line.length).toBeLessThan(1500);
	});
});

describe("every call has one", () => {
	let upstream: ScriptedUpstream;
	let gateway: TestGateway;
	const lines = () => gateway.log.filter(({ plugin }) => plugin === "call-log");

	beforeAll(async () => {
		upstream = startUpstream();
		gateway = await startGateway({
			plugins: [
				"tokens",
				"chat-completions",
				"call-log",
				{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
				{
					use: "router",
					with: {
						upstreams: [
							{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-upstream-key" },
						],
						models: [{ name: "m", targets: [{ upstream: "main", model: "up" }] }],
					},
				},
			],
		});
	});
	afterAll(async () => {
		await gateway.stop();
		await upstream.stop();
	});

	const body = { model: "m", messages: [{ role: "user", content: "the words of the prompt" }] };
	const path = "/v1/chat/completions";

	test("answered", async () => {
		upstream.answer(() =>
			Response.json({
				id: "c",
				object: "chat.completion",
				created: 1,
				model: "up",
				choices: [
					{ index: 0, message: { role: "assistant", content: "the words of the answer" }, finish_reason: "stop" },
				],
				usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
			}),
		);
		const before = lines().length;
		const headers = { "x-request-id": "from-client", "user-agent": "tests/1" };
		await (await gateway.ask(path, body, { headers })).text();
		const [line, ...more] = lines().slice(before);
		expect(more).toEqual([]);
		expect(line).toMatchObject({
			level: "info",
			msg: "call",
			request_id: "from-client",
			model_requested: "m",
			model_upstream: "up",
			upstream: "main",
			status: 200,
			ending: "completed",
			input_tokens: 7,
			output_tokens: 3,
			cost: 37,
			attempts: 1,
			client_ip: "127.0.0.1",
			user_agent: "tests/1",
		});
		expect(JSON.stringify(line)).not.toContain("the words");
	});

	test("refused", async () => {
		const before = lines().length;
		await (await gateway.ask(path, { ...body, model: "none" })).text();
		expect(lines().slice(before)).toMatchObject([{ status: 404, ending: "refused", error_code: "model_not_found" }]);
	});

	test("left by its client", async () => {
		const held = Promise.withResolvers<Response>();
		const asked = Promise.withResolvers<void>();
		upstream.answer(() => {
			asked.resolve();
			return held.promise;
		});
		const before = lines().length;
		const text = JSON.stringify(body);
		const { port, host } = new URL(gateway.url);
		const socket = connect(Number(port), "127.0.0.1", () =>
			socket.write(
				`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
			),
		);
		await asked.promise;
		socket.destroy();
		while (lines().length === before) await new Promise((resolve) => setImmediate(resolve));
		held.resolve(streamOf([]));
		expect(lines().slice(before)).toMatchObject([{ status: 499, ending: "client_left" }]);
	});
});
