/** Promise: a limit of no output, which gateways take for none, is held as none: what they then write is paid for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

/** What New API puts in the place of a limit of nothing. */
const usual = 8192;
const rates = { input: 1, output: 10 };

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(({ json, path }) => {
		const { max_tokens: limit } = json as { readonly max_tokens: number };
		const written = path.startsWith("/gateway") ? limit || usual : limit;
		return Response.json({
			id: "m",
			type: "message",
			role: "assistant",
			model: "claude-sonnet-5",
			content: written > 0 ? [{ type: "text", text: "Hello" }] : [],
			stop_reason: "max_tokens",
			usage: { input_tokens: 10, output_tokens: written },
		});
	});
	const upstreams = [
		{ name: "gateway", protocol: "messages", url: `${upstream.url}/gateway`, key: "k" },
		{ name: "maker", protocol: "messages", url: upstream.url, key: "k", vendor: "anthropic" },
	];
	const models = upstreams.map(({ name }) => ({ name, targets: [{ upstream: name, model: "claude-sonnet-5" }] }));
	gateway = await startGateway({
		plugins: [
			"tokens",
			"messages",
			{ use: "router", with: { upstreams, models } },
			{ use: "prices", with: { models: { "*": rates } } },
			"quota",
			"ledger",
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const warm = async (model: string, quota: number) => {
	const { key, id } = await gateway.token({ quota });
	const body = { model, messages: [{ role: "user", content: "Hi" }], max_tokens: 0 };
	const { status } = await gateway.ask("/v1/messages", body, { headers: { authorization: `Bearer ${key}` } });
	const { data } = (await gateway.admin("GET", `/admin/calls?token=${id}`)) as { data: readonly object[] };
	return { status, call: data[0] };
};

test("at a gateway all that the model can write is held, and what it wrote is charged", async () => {
	expect((await warm("gateway", 0.01)).status).toBe(402);
	const { status, call } = await warm("gateway", 10);
	expect(status).toBe(200);
	expect(call).toMatchObject({ cost: (10 * rates.input + usual * rates.output) / 1e6, excess: 0 });
	expect(upstream.received.at(-1)?.json).toMatchObject({ max_tokens: 0 });
});

test("at Anthropic nothing is held but the input", async () => {
	const { status, call } = await warm("maker", 0.01);
	expect(status).toBe(200);
	expect(call).toMatchObject({ cost: (10 * rates.input) / 1e6, excess: 0 });
});
