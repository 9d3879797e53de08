import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
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
			"metrics",
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const scrape = async (): Promise<string> => {
	const shown = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	expect(shown.status).toBe(200);
	expect(shown.headers.get("content-type")).toContain("version=0.0.4");
	return await shown.text();
};

const ask = async (model: string): Promise<void> => {
	await (await gateway.ask("/v1/chat/completions", { model, messages: [{ role: "user", content: "hello" }] })).text();
};

test("calls, their tokens and their cost are counted, and go on over a reload", async () => {
	upstream.answer(() =>
		Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "up",
			choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
			usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
		}),
	);
	await ask("m");
	expect(await gateway.admin("POST", "/admin/reload")).toMatchObject({ reloaded: true });
	await ask("m");
	await ask("a name that a stranger made up");

	const lines = (await scrape()).split("\n");
	const completed = 'protocol="chat-completions",upstream="main",model="up",status="200",ending="completed"';
	expect(lines).toContain(`portico_calls_total{${completed}} 2`);
	expect(lines).toContain(
		'portico_calls_total{protocol="chat-completions",upstream="",model="",status="404",ending="refused"} 1',
	);
	expect(lines).toContain(`portico_model_tokens_total{${completed},type="input"} 14`);
	expect(lines).toContain(`portico_model_tokens_total{${completed},type="output"} 6`);
	expect(lines).toContain(`portico_cost_dollars_total{${completed}} 0.000074`);
	expect(lines).toContain('portico_upstream_circuit{upstream="main",state="closed"} 1');
	expect(lines).toContain('portico_upstream_circuit{upstream="main",state="open"} 0');
	expect(lines).toContain('portico_upstream_key_up{upstream="main",key="1"} 1');
	const count = 'portico_call_duration_seconds_count{protocol="chat-completions",upstream="main",stream="false"} 2';
	expect(lines).toContain(count);
	const slowest =
		'portico_call_duration_seconds_bucket{protocol="chat-completions",upstream="main",stream="false",le="+Inf"} 2';
	expect(lines).toContain(slowest);
	expect(lines.some((line) => line.startsWith("process_resident_memory_bytes "))).toBe(true);
	expect(lines.join("\n")).not.toContain("stranger");
});

test("a key that the upstream refuses is shown to rest, also where there is no other", async () => {
	upstream.answer(() =>
		Response.json({ error: { message: "Incorrect API key", code: "invalid_api_key" } }, { status: 401 }),
	);
	await ask("m");
	expect((await scrape()).split("\n")).toContain('portico_upstream_key_up{upstream="main",key="1"} 0');
});

test("nobody sees them without the admin token", async () => {
	expect((await gateway.ask("/metrics")).status).toBe(401);
	expect((await fetch(`${gateway.url}/metrics`)).status).toBe(401);
});
