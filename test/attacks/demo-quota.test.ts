/** The demo costs nothing, so a quota on the very first token works, even one of nothing: its calls and tasks are let through and counted as 0. */
import { expect, test } from "bun:test";
import { startGateway, startUpstream } from "#core/testing";

test.each([0, 0.5])("a token with a quota of $%d may use the demo, and its tasks", async (quota) => {
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0, taskSeconds: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			"prices",
			"quota",
			"ledger",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			"tasks",
			"image",
		],
	});
	try {
		const { id, key } = await gateway.token({ quota });
		const headers = { authorization: `Bearer ${key}` };
		const chat = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
		expect((await gateway.ask("/v1/chat/completions", chat, { headers })).status).toBe(200);
		const image = { model: "demo-image", prompt: "A cat" };
		const made = await gateway.ask("/v1/images/generations", image, { headers });
		expect(made.status).toBe(200);
		const me = await (await gateway.ask("/v1/me", undefined, { headers })).json();
		expect(me).toMatchObject({ used: 0, remaining: quota });
		const { data } = await gateway.admin("GET", `/admin/usage?by=token&token=${id}`);
		expect(data).toMatchObject([{ calls: 2, cost: 0 }]);
	} finally {
		await gateway.stop();
	}
});

test("beside a model that costs: the free one is let through, the other refused, and a large body unread", async () => {
	const upstream = startUpstream();
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{
				use: "router",
				with: {
					upstreams: [{ name: "paid", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k" }],
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "paid", targets: [{ upstream: "paid" }] },
						{ name: "either", targets: [{ upstream: "demo" }, { upstream: "paid" }] },
					],
				},
			},
			{ use: "prices", with: { models: { paid: { input: 1, output: 1 }, either: { input: 1, output: 1 } } } },
			"quota",
		],
	});
	try {
		const { key } = await gateway.token({ quota: 0 });
		const ask = (model: string, content = "Hello"): Promise<Response> =>
			gateway.ask(
				"/v1/chat/completions",
				{ model, messages: [{ role: "user", content }] },
				{ headers: { authorization: `Bearer ${key}` } },
			);
		expect((await ask("demo")).status).toBe(200);
		for (const model of ["paid", "either"]) {
			const refused = await ask(model);
			expect(refused.status).toBe(429);
			expect(await refused.json()).toMatchObject({ error: { code: "insufficient_quota" } });
		}
		expect((await ask("demo", "x".repeat(100_000))).status).toBe(429);
		expect(upstream.received).toHaveLength(0);
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});
