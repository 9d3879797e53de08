/** The fields that a client chose are those it gets, whether or not a guard changed its words on the way. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

let gateway: TestGateway;
let google: ScriptedUpstream;
let other: ScriptedUpstream;

beforeAll(async () => {
	google = startUpstream();
	other = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"generate-content",
			"chat-completions",
			resolve(import.meta.dir, "fixtures/replacing-guard.ts"),
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "AIza-operator" },
						{ name: "other", protocol: "chat-completions", url: `${other.url}/v1`, key: "sk-operator" },
					],
					models: [
						{ name: "gemini", targets: [{ upstream: "google" }] },
						{ name: "gpt", targets: [{ upstream: "other" }] },
					],
				},
			},
		],
	});
	other.answer(() =>
		Response.json({
			id: "c1",
			object: "chat.completion",
			created: 1,
			model: "gpt",
			choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
			usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
		}),
	);
});
afterAll(async () => {
	await gateway.stop();
	await google.stop();
	await other.stop();
});

const answer = {
	candidates: [{ content: { parts: [{ text: "Hello" }], role: "model" }, index: 0, finishReason: "STOP" }],
	usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
	modelVersion: "gemini",
	responseId: "r1",
};
const chosen = { candidates: [{ content: { parts: [{ text: "Hello" }], role: "model" } }] };

const ask = async (text: string, verb: string, model = "gemini"): Promise<string> => {
	const response = await gateway.ask(`/v1beta/models/${model}:${verb}`, {
		contents: [{ role: "user", parts: [{ text }] }],
	});
	expect(response.status).toBe(200);
	return await response.text();
};

test.each(["Hi", "my secret"])("of a whole answer to %p", async (text) => {
	google.answer(() => Response.json(answer));
	expect(JSON.parse(await ask(text, "generateContent?fields=candidates.content"))).toEqual(chosen);
	expect(google.received.at(-1)?.text).not.toContain("secret");
});

test.each(["Hi", "my secret"])("of a stream after %p", async (text) => {
	google.answer(() => streamOf([`data: ${JSON.stringify(answer)}\r\n\r\n`]));
	const stream = await ask(text, "streamGenerateContent?alt=sse&fields=candidates.content");
	expect(stream).toBe(`data: ${JSON.stringify(chosen)}\n\n`);
});

test.each(["Hi", "my secret"])("of an array after %p", async (text) => {
	google.answer(() => streamOf([`data: ${JSON.stringify(answer)}\r\n\r\n`]));
	expect(JSON.parse(await ask(text, "streamGenerateContent?fields=candidates.content"))).toEqual([chosen]);
});

test.each(["Hi", "my secret"])("of a translated answer to %p", async (text) => {
	expect(JSON.parse(await ask(text, "generateContent?fields=candidates.content", "gpt"))).toEqual(chosen);
});
