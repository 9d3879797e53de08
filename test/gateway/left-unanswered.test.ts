/** An upstream that hangs until the client gives up is not told as one that answered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"ledger",
			"metrics",
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

test("its record, its advice and the metrics say that it had not answered", async () => {
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	upstream.answer(async () => {
		await released;
		return new Response();
	});
	const client = new AbortController();
	const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
	const call = gateway.ask("/v1/chat/completions", body, { signal: client.signal }).catch(() => undefined);
	await until(() => upstream.received.length === 1);
	client.abort();
	await call;
	const newest = async () => asRecord(asList((await gateway.admin("GET", "/admin/calls?limit=1"))["data"])[0]);
	await until(async () => (await newest())["ending"] === "client_left");
	release();
	const record = await gateway.admin("GET", `/admin/calls/${String((await newest())["id"])}`);
	expect(record["attempts"]).toMatchObject([{ upstream: "main", model: "up", code: "no_answer_yet" }]);
	expect(record["advice"]).toStartWith("The upstream had not answered when the call ended");
	const metrics = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("portico_attempts_total{"));
	expect(lines).toEqual(['portico_attempts_total{upstream="main",model="up",outcome="abandoned"} 1']);
});
