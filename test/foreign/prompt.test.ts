/** A policy that reads the prompt reads it in every protocol, for counting too, and in every kind of task. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { checkPlugin, startGateway, type TestGateway } from "#core/testing";

const folder = resolve(import.meta.dir, "../../templates/forbidden-words");
let gateway: TestGateway;
let key = "";

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"responses",
			"messages",
			"generate-content",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			"tasks",
			"image",
			"video",
			"music",
			{ use: folder },
		],
	});
	key = (await gateway.token({ forbiddenWords: ["xyzzy"] })).key;
});
afterAll(() => gateway.stop());

const messagesWith = (words: string) => ({
	model: "demo",
	max_tokens: 9,
	messages: [{ role: "user", content: words }],
});
const contentsWith = (words: string) => ({ contents: [{ parts: [{ text: words }] }] });

const surfaces: readonly (readonly [path: string, body: (words: string) => object])[] = [
	["/v1/chat/completions", messagesWith],
	["/v1/responses", (words) => ({ model: "demo", input: words })],
	["/v1/messages", messagesWith],
	["/v1/messages/count_tokens", messagesWith],
	["/v1beta/models/demo:generateContent", contentsWith],
	["/v1beta/models/demo:streamGenerateContent", contentsWith],
	["/v1/tasks", (prompt) => ({ kind: "image", model: "demo-image", prompt })],
	["/v1/tasks", (prompt) => ({ kind: "video", model: "demo-video", prompt })],
	["/v1/tasks", (prompt) => ({ kind: "music", model: "demo-music", prompt })],
];

test("the stranger's plugin keeps the contract", async () => {
	expect(await checkPlugin(folder)).toEqual([]);
});

describe("a policy that reads the prompt", () => {
	const ask = (path: string, body: object) => gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });

	test.each(surfaces)("lets words pass on %s", async (path, body) => {
		const answer = await ask(path, body("Hello there"));
		expect([200, 201, 202]).toContain(answer.status);
		await answer.body?.cancel();
	});

	test.each(surfaces)("finds a word on %s", async (path, body) => {
		const answer = await ask(path, body("say xyzzy please"));
		expect(answer.status).toBe(403);
		expect(await answer.text()).toContain('The word \\"xyzzy\\" is not said here.');
	});

	test("finds a word among what else a task is told", async () => {
		const body = { kind: "music", model: "demo-music", prompt: "a song", input: { lyrics: "oh xyzzy" } };
		expect((await ask("/v1/tasks", body)).status).toBe(403);
	});
});
