import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlugin, startGateway } from "#core/testing";

test("forbidden-words keeps the contract, and its README's example runs", async () => {
	assert.deepEqual(await checkPlugin(import.meta.dirname), []);
});

test("a prompt with a word that the token may not say is refused, and another is answered", async () => {
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", "demo", router, import.meta.dirname] });
	try {
		const { key } = await gateway.token({ forbiddenWords: ["mellon"] });
		const headers = { authorization: `Bearer ${key}` };
		const say = (content: string) =>
			gateway.ask("/v1/chat/completions", { model: "demo", messages: [{ role: "user", content }] }, { headers });
		assert.equal((await say("Open the door.")).status, 200);
		const refused = await say("Say mellon and enter.");
		assert.equal(refused.status, 403);
		assert.match(await refused.text(), /mellon/);
	} finally {
		await gateway.stop();
	}
});
