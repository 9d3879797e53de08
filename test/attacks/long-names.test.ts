/** Promise: the name of a model, however long and whatever it is like, stops nobody else where names pass through to an upstream. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { longestStop } from "./longest-stop.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(() => Response.json({ error: { message: "no such model" } }, { status: 404 }));
	const [name, protocol, url] = ["main", "chat-completions", `${upstream.url}/v1`];
	gateway = await startGateway({
		plugins: [
			...["tokens", "chat-completions", "messages", "responses", "embeddings", "rerank", "moderations", "completions"],
			"audio",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [{ name, protocol, url, key: "k" }],
					models: [{ name: "gpt-*", targets: [{ upstream: name }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const messages = [{ role: "user", content: "x" }];
const asks: readonly (readonly [string, object])[] = [
	["/v1/chat/completions", { messages }],
	["/v1/messages", { max_tokens: 5, messages }],
	["/v1/responses", { input: "x" }],
	["/v1/embeddings", { input: "x" }],
	["/v1/completions", { prompt: "x" }],
	["/v1/moderations", { input: "x" }],
	["/v1/audio/speech", { input: "x", voice: "alloy" }],
];

test.each([...asks])("%s", async (path, body) => {
	for (const word of ["/gpt-", "a.", "-9p9", "tts-", "claude-"]) {
		// A machine with other work may stop everything now and then, but not each time.
		const stops: number[] = [];
		for (let times = 0; times < 3; times++) {
			const model = `gpt-${word.repeat(60_000 / word.length)}`;
			const { result, stoppedMs } = await longestStop(() => gateway.ask(path, { model, ...body }));
			expect([400, 404]).toContain(result.status);
			stops.push(stoppedMs);
		}
		// Speech took more than a second; all of them take a fiftieth of one.
		expect(Math.min(...stops)).toBeLessThan(250);
	}
});
