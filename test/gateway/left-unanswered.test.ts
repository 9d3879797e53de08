/** An upstream that hangs until the client gives up is not told as one that answered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { asList, asRecord } from "#core";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer, chatStream } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";
import { routerTo } from "../support/router-to.ts";

const secret = `whsec_${btoa("x".repeat(32))}`;
const clock = createTestClock();
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"chat-completions",
			"ledger",
			"metrics",
			"webhooks",
			{ use: "alerts", with: { url: "http://127.0.0.1:9/", secret, privateNetwork: true } },
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

const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
const newest = async () => asRecord(asList((await gateway.admin("GET", "/admin/calls?limit=1"))["data"])[0]);

/** Opens a call that is left when nothing has come of its answer for so long, and gives its record. */
const left = async (milliseconds: number) => {
	const before = (await newest())["id"];
	upstream.received.length = 0;
	upstream.answer(() => new Promise<Response>(() => undefined));
	const client = new AbortController();
	const call = gateway.ask("/v1/chat/completions", body, { signal: client.signal }).catch(() => undefined);
	await until(() => upstream.received.length === 1);
	await clock.advance(milliseconds);
	client.abort();
	await call;
	await until(async () => (await newest())["id"] !== before);
	return await gateway.admin("GET", `/admin/calls/${String((await newest())["id"])}`);
};

test("its record, its advice and the metrics say that it had not answered", async () => {
	const record = await left(5_000);
	expect(record["ending"]).toBe("client_left");
	const [attempt] = asList(record["attempts"]).map(asRecord);
	expect(attempt).toMatchObject({ upstream: "main", model: "up", code: "no_answer_yet" });
	expect(attempt).not.toHaveProperty("message");
	expect(record["advice"]).toStartWith("The upstream had not answered when the call ended");
	const metrics = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("portico_attempts_total{"));
	expect(lines).toEqual(['portico_attempts_total{upstream="main",model="up",outcome="abandoned"} 1']);
});

test("after thirty seconds it speaks of the upstream: record, status and alert tell it, until somebody is answered", async () => {
	const words = "It had sent nothing after 42 seconds, when the call was given up.";
	for (let time = 0; time < 5; time++)
		expect((await left(42_000))["attempts"]).toMatchObject([{ code: "no_answer_yet", message: words }]);
	const upstreams = async () => (await gateway.admin("GET", "/admin/troubles"))["upstreams"];
	expect(await upstreams()).toMatchObject([
		{
			upstream: "main",
			circuit: "open",
			failing: true,
			lastFailure: { message: words, advice: expect.stringMatching(/it is slow, or hangs/) },
		},
	]);
	const alerts = async () => asList((await gateway.admin("GET", "/admin/alerts"))["data"]).map(asRecord);
	await until(async () => (await alerts()).length > 0);
	expect(await alerts()).toMatchObject([{ event: "circuit.opened", data: { upstream: "main", reason: words } }]);
	upstream.answer(() => Response.json(chatAnswer()));
	expect((await gateway.ask("/v1/chat/completions", body)).status).toBe(200);
	await until(async () => asList(await upstreams()).length === 0);
});

test("a stream of which nothing comes but its status speaks of the upstream too, and one whose words come late does not", async () => {
	const moved = createTestClock();
	const open: ServerResponse[] = [];
	const streaming = createServer((_, answer) => {
		open.push(answer);
		answer.setHeader("content-type", "text/event-stream").flushHeaders();
	});
	await new Promise<void>((listens) => streaming.listen(0, "127.0.0.1", listens));
	const { port } = streaming.address() as AddressInfo;
	const plugins = ["tokens", "chat-completions", "ledger", routerTo([`http://127.0.0.1:${port}`])];
	const other = await startGateway({ clock: moved, plugins });
	const client = new AbortController();
	/** Their answers have begun, with a sign of life alone. */
	const ask = async (): Promise<readonly Response[]> => {
		open.length = 0;
		let begun = 0;
		const calls = Array.from({ length: 5 }, async () => {
			const asked = { ...body, stream: true };
			const answer = await other.ask("/v1/chat/completions", asked, { signal: client.signal });
			begun++;
			return answer;
		});
		await until(() => open.length === 5);
		await until(async () => {
			await moved.advance(1_000);
			return begun === 5;
		});
		return await Promise.all(calls);
	};
	const upstreams = async () => (await other.admin("GET", "/admin/troubles"))["upstreams"];

	const late = await ask();
	await moved.advance(42_000);
	for (const answer of open) answer.end(chatStream([{ content: "late" }]).join(""));
	for (const answer of late) expect(await answer.text()).toContain("late");
	expect(await upstreams()).toEqual([]);

	await ask();
	await moved.advance(42_000);
	client.abort();
	await until(async () => asList(await upstreams()).length > 0);
	const message = expect.stringMatching(/^It had sent a status \(200\) and nothing else after \d+ seconds, when/);
	expect(await upstreams()).toMatchObject([{ circuit: "open", lastFailure: { message } }]);
	const [call] = asList((await other.admin("GET", "/admin/calls?limit=1"))["data"]).map(asRecord);
	const record = await other.admin("GET", `/admin/calls/${String(call?.["id"])}`);
	expect(record).toMatchObject({ ending: "client_left", attempts: [{ code: "no_answer_yet", status: 200, message }] });
	expect(record).not.toHaveProperty("firstByteMs");
	await other.stop();
	streaming.closeAllConnections();
	streaming.close();
});

test("calls that Portico itself ends for want of time, with nothing sent, speak of the upstream too", async () => {
	const moved = createTestClock();
	const silent = startUpstream(() => new Promise<Response>(() => undefined));
	const other = await startGateway({
		clock: moved,
		config: { server: { callSeconds: 40 } },
		plugins: ["tokens", "chat-completions", routerTo([silent.url])],
	});
	const calls = Array.from({ length: 5 }, () => other.ask("/v1/chat/completions", body));
	await until(() => silent.received.length === 5);
	await moved.advance(40_000);
	for (const call of calls) expect((await call).status).toBe(504);
	const lastFailure = { message: "It had sent nothing after 40 seconds, when the call was given up." };
	expect((await other.admin("GET", "/admin/troubles"))["upstreams"]).toMatchObject([{ circuit: "open", lastFailure }]);
	await other.stop();
	await silent.stop();
});
