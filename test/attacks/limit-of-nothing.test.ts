/** Promise: a limit of no output, which gateways take for none, is held as none: what they then write is paid for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

/** What New API puts in the place of a limit of nothing. */
const usual = 8192;

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({
		router(url) {
			const upstreams = [
				{ name: "gateway", protocol: "messages", url: `${url}/gateway`, key: "k" },
				{ name: "maker", protocol: "messages", url, key: "k", vendor: "anthropic" },
			];
			const targets = (name: string) => [{ upstream: name, model: "claude-sonnet-5" }];
			return { upstreams, models: upstreams.map(({ name }) => ({ name, targets: targets(name) })) };
		},
	});
	world.upstream.answer(({ json, path }) => {
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
});
afterAll(() => world.stop());

const warm = (model: string, quota: number) =>
	world.askOnce(quota, "/v1/messages", { model, messages: [{ role: "user", content: "Hi" }], max_tokens: 0 });

test("at a gateway all that the model can write is held, and what it wrote is charged", async () => {
	expect((await warm("gateway", 0.01)).status).toBe(402);
	const { status, call } = await warm("gateway", 10);
	expect(status).toBe(200);
	expect(call).toMatchObject({ cost: (10 * rates.input + usual * rates.output) / 1e6, excess: 0 });
	expect(world.upstream.received.at(-1)?.json).toMatchObject({ max_tokens: 0 });
});

test("at Anthropic nothing is held but the input", async () => {
	const { status, call } = await warm("maker", 0.01);
	expect(status).toBe(200);
	expect(call).toMatchObject({ cost: (10 * rates.input) / 1e6, excess: 0 });
});
