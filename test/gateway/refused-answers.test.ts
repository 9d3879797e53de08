/** An answer that a guard refuses is charged by what its upstream counted, as one that reaches its client is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type Stranger, writeStranger } from "../foreign/stranger.ts";

const plugin = `import { add, definePlugin, deny, guards, t } from "#core";

const inspect = ({ text }) => (text.includes("secret") ? { refuse: deny("content_policy", "Not this.") } : undefined);

export default definePlugin({
	name: "no-secrets",
	summary: "Refuses answers that tell a secret.",
	config: t.Object({}),
	gives: [guards],
	setup: ({ name }) => ({ offers: [add(guards, { name, inspect: () => ({ answer: { window: 8, inspect } }) })] }),
});
`;

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const message = { role: "assistant", content: "The secret is out." };
const answer = { id: "a", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
const ranked = { model: "m", data: [{ embedding: [0.5], index: 0, object: "secret" }], usage };

const clock = createTestClock();
let stranger: Stranger;
let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	stranger = writeStranger(plugin);
	upstream = startUpstream(async ({ path }) => {
		// As long as a model would need for far more.
		await clock.advance(10_000);
		return Response.json(path.endsWith("/embeddings") ? ranked : answer);
	});
	gateway = await startGateway({
		clock,
		plugins: [
			...["tokens", "chat-completions", "messages", "embeddings", "quota"],
			{ use: "prices", with: { models: { m: { input: 1_000_000, output: 1_000_000 } } } },
			{
				use: "router",
				with: {
					upstreams: [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "up" }] }],
				},
			},
			{ use: stranger.file },
		],
	});
});
afterAll(async () => {
	await gateway?.stop();
	await upstream?.stop();
	stranger?.remove();
});

const said = { model: "m", max_tokens: 5_000, messages: [{ role: "user", content: "Hello" }] };

test.each([
	["of its own protocol", "/v1/chat/completions", said, 15],
	["translated", "/v1/messages", said, 15],
	["told as a stream", "/v1/messages", { ...said, stream: true }, 15],
	["of an endpoint", "/v1/embeddings", { model: "m", input: "Hello" }, 10],
])("a whole answer %s", async (_, path, body, used) => {
	const { key, id } = await gateway.token({ quota: 100_000 });
	const refused = await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
	expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Not this.")]);
	expect(await gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used });
});
