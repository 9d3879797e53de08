/** The demo costs nothing, so a quota on the very first token works: its calls and tasks are let through and counted as 0. */
import { expect, test } from "bun:test";
import { startGateway } from "#core/testing";

test("a token with a quota may use the demo, and its tasks", async () => {
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
		const { id, key } = await gateway.token({ quota: 0.5 });
		const headers = { authorization: `Bearer ${key}` };
		const chat = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
		expect((await gateway.ask("/v1/chat/completions", chat, { headers })).status).toBe(200);
		const image = { model: "demo-image", prompt: "A cat" };
		const made = await gateway.ask("/v1/images/generations", image, { headers });
		expect(made.status).toBe(200);
		const me = await (await gateway.ask("/v1/me", undefined, { headers })).json();
		expect(me).toMatchObject({ used: 0, remaining: 0.5 });
		const { data } = await gateway.admin("GET", `/admin/usage?by=token&token=${id}`);
		expect(data).toMatchObject([{ calls: 2, cost: 0 }]);
	} finally {
		await gateway.stop();
	}
});
