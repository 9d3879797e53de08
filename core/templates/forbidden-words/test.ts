import { expect, test } from "bun:test";
import { checkPlugin, startGateway } from "#core/testing";

test("forbidden-words keeps the contract, and its README's example runs", async () => {
	expect(await checkPlugin(import.meta.dir)).toEqual([]);
});

test("a prompt with a word that the token may not say is refused, and another is answered", async () => {
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", "demo", router, import.meta.dir] });
	try {
		const { key } = await gateway.token({ forbiddenWords: ["mellon"] });
		const headers = { authorization: `Bearer ${key}` };
		const say = (content: string) =>
			gateway.ask("/v1/chat/completions", { model: "demo", messages: [{ role: "user", content }] }, { headers });
		expect((await say("Open the door.")).status).toBe(200);
		const refused = await say("Say mellon and enter.");
		expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("mellon")]);
	} finally {
		await gateway.stop();
	}
});
