/** A tier that is asked for beside a conversation costs what it costs in one. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startGateway, startUpstream, type TestGateway } from "#core/testing";

const upstream = startUpstream();
let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"embeddings",
			"completions",
			"audio",
			{ use: "prices", with: { models: { "*": { input: 1, output: 10, perMinuteAudioIn: 0.06 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" },
						{ name: "google", protocol: "chat-completions", url: upstream.url, endpoints: [{ embeddings: "gemini" }] },
					],
					models: [
						{ name: "m", targets: [{ upstream: "main" }] },
						{ name: "g", targets: [{ upstream: "google" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
	upstream.answer(({ path }) => {
		const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 };
		if (path.endsWith("/completions")) return Response.json({ choices: [{ index: 0, text: "" }], usage });
		const usageMetadata = { promptTokenCount: 1000 };
		return Response.json({ data: [{ index: 0, embedding: [1] }], embeddings: [{ values: [1] }], usage, usageMetadata });
	});
});

const words = "twelve words. ".repeat(200);
const embed = { model: "m", input: words };

const ask = async (path: string, body: object | FormData, quota = 1) => {
	const { key } = await gateway.token({ quota });
	const headers = { authorization: `Bearer ${key}` };
	const response =
		body instanceof FormData
			? await fetch(gateway.url + path, { method: "POST", body, headers })
			: await gateway.ask(path, body, { headers });
	const text = await response.text();
	while (gateway.portico.openCalls() > 0) await new Promise((resolve) => setImmediate(resolve));
	const me = (await (await gateway.ask("/v1/me", undefined, { headers })).json()) as { used: number };
	return { status: response.status, text, used: Math.round(me.used * 1_000_000) };
};

test.each([
	["vectors", "/v1/embeddings", embed, 2000],
	["a text", "/v1/completions", { model: "m", prompt: words, max_tokens: 1 }, 2000],
	// Another dialect has no such field: the request goes without it.
	["vectors of another vendor", "/v1/embeddings", { model: "g", input: words }, 1000],
] as const)("%s", async (_name, path, body, cost) => {
	expect(await ask(path, { ...body, service_tier: "priority" })).toMatchObject({ status: 200, used: cost });
	expect(await ask(path, { ...body, service_tier: "default" })).toMatchObject({ status: 200, used: 1000 });
	const [first] = upstream.received;
	expect(first?.text.includes("priority")).toBe(cost === 2000);
});

test("is held at its price", async () => {
	const { status } = await ask("/v1/embeddings", { ...embed, service_tier: "priority" }, 0.004);
	expect([status, upstream.received.length]).toEqual([429, 0]);
});

test.each(["turbo", { tier: "priority" }])("%j, which nobody knows a price for, is refused", async (tier) => {
	const { status, text } = await ask("/v1/embeddings", { ...embed, service_tier: tier });
	expect([status, upstream.received.length]).toEqual([403, 0]);
	expect(text).toContain("is not known");
});

test("in another spelling goes to nobody", async () => {
	const { used } = await ask("/v1/embeddings", { ...embed, serviceTier: "priority", Service_Tier: "priority" });
	expect(used).toBe(1000);
	expect(upstream.received[0]?.text).not.toContain("priority");
});

test("in a form is refused alike", async () => {
	const form = new FormData();
	form.append("model", "m");
	form.append("service_tier", "turbo");
	form.append("file", new Blob([new Uint8Array(400)], { type: "audio/wav" }), "a.wav");
	const { status, text } = await ask("/v1/audio/transcriptions", form);
	expect(text).toContain("turbo");
	expect([status, upstream.received.length]).toEqual([403, 0]);
});
