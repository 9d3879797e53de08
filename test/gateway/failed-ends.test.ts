/** An answer that ends as a failure within a 200: another upstream is asked, and a client that gets none is told an error. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatChunk, chatStream } from "../support/chat-answers.ts";

let failing: ScriptedUpstream;
let sound: ScriptedUpstream;
let gateway: TestGateway;

const usage = (candidatesTokenCount: number) => ({
	promptTokenCount: 11,
	candidatesTokenCount,
	totalTokenCount: 11 + candidatesTokenCount,
});

beforeAll(async () => {
	failing = startUpstream();
	sound = startUpstream();
	const upstreams = [
		{ name: "failing", protocol: "generate-content", url: failing.url, key: "k" },
		{ name: "foreign", protocol: "chat-completions", url: failing.url, key: "k" },
		{ name: "sound", protocol: "generate-content", url: sound.url, key: "k" },
	];
	const models = [
		{ name: "two", targets: [{ upstream: "failing" }, { upstream: "sound" }] },
		{ name: "foreign", targets: [{ upstream: "foreign" }, { upstream: "sound" }] },
		{ name: "one", targets: [{ upstream: "failing" }] },
	];
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"responses",
			"messages",
			"generate-content",
			"ledger",
			{ use: "router", with: { upstreams, models } },
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await failing.stop();
	await sound.stop();
});

/** The same answer, whole or as a stream of it and nothing else, as is asked for. */
const answering = (candidate: object) => (request: { readonly path: string }) => {
	const body = {
		candidates: [{ index: 0, ...candidate }],
		usageMetadata: usage("content" in candidate ? 4 : 0),
		modelVersion: "up",
		responseId: "r",
	};
	return request.path.includes("stream") ? streamOf([`data: ${JSON.stringify(body)}\n\n`]) : Response.json(body);
};
const said = (text: string) => ({ content: { role: "model", parts: [{ text }] } });

const messages = [{ role: "user", content: "hi" }];
const asked = {
	"/v1/chat/completions": { messages },
	"/v1/responses": { input: "hi" },
	"/v1/messages": { messages, max_tokens: 9 },
};
const clients = Object.entries(asked).flatMap(([path, body]) =>
	[false, true].map((stream) => [path, stream, body] as const),
);

const rowOf = async (response: Response) => {
	await gateway.admin("GET", "/admin/usage");
	return await gateway.admin("GET", `/admin/calls/${response.headers.get("x-request-id") ?? ""}`);
};

describe.each(clients)("%s, streamed: %p", (path, stream, body) => {
	test.each([
		{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: f(" },
		{ finishReason: "NO_IMAGE" },
		{ finishReason: "OTHER", finishMessage: "Model failed to generate content due to internal error." },
		{ finishReason: "IMAGE_OTHER", content: { role: "model", parts: [] } },
		{ finishReason: "NEVER_HEARD_OF" },
	])("goes on to the next upstream when nothing was said: %p", async (end) => {
		failing.answer(answering(end));
		sound.answer(answering({ ...said("Hello"), finishReason: "STOP" }));
		const response = await gateway.ask(path, { model: "two", stream, ...body });
		expect([response.status, (await response.text()).includes("Hello")]).toEqual([200, true]);
		expect(asList((await rowOf(response))["attempts"])).toHaveLength(2);
	});

	test("is an error where there is no other, charged as the upstream counted", async () => {
		failing.answer(answering({ finishReason: "NO_IMAGE" }));
		const response = await gateway.ask(path, { model: "one", stream, ...body });
		expect([response.status, (await response.text()).includes("NO_IMAGE")]).toEqual([502, true]);
		const counted = { inputTokens: 11, outputTokens: 0 };
		const row = await rowOf(response);
		expect(row).toMatchObject({ ending: "upstream_failed", stopped: "NO_IMAGE", ...counted });
		expect(row["estimated"]).toBeUndefined();
	});

	test("is an error after what was said, and recorded as one", async () => {
		failing.answer(answering({ ...said("Hel"), finishReason: "MALFORMED_FUNCTION_CALL" }));
		const response = await gateway.ask(path, { model: "one", stream, ...body });
		const text = await response.text();
		expect([response.status, text.includes("cannot be read")]).toEqual([stream ? 200 : 502, true]);
		const row = await rowOf(response);
		expect(row).toMatchObject({ ending: "upstream_failed", inputTokens: 11, outputTokens: 4 });
		expect(row["estimated"]).toBeUndefined();
	});

	test("an answer whose end has no reason stays one", async () => {
		failing.answer(answering({ ...said("Hello"), finishReason: "OTHER" }));
		const response = await gateway.ask(path, { model: "one", stream, ...body });
		expect([response.status, (await response.text()).includes("Hello")]).toEqual([200, true]);
		expect(await rowOf(response)).toMatchObject({ ending: "completed", stopped: "OTHER" });
	});
});

describe.each(["generateContent", "streamGenerateContent?alt=sse"])("a client of generate-content, %s", (verb) => {
	const contents = [{ role: "user", parts: [{ text: "hi" }] }];
	const streams = verb.startsWith("stream");

	test("goes on to the next upstream from a failure that Gemini has no word for", async () => {
		const choice = { index: 0, finish_reason: "network_error" };
		const head = { id: "c", created: 1, model: "up" };
		failing.answer(() =>
			streams
				? streamOf(chatStream([], "network_error"))
				: Response.json({ ...head, choices: [{ ...choice, message: { role: "assistant", content: "" } }] }),
		);
		sound.answer(answering({ ...said("Hello"), finishReason: "STOP" }));
		const response = await gateway.ask(`/v1beta/models/foreign:${verb}`, { contents });
		expect([response.status, (await response.text()).includes("Hello")]).toEqual([200, true]);
		expect(asList((await rowOf(response))["attempts"])).toHaveLength(2);
	});

	test("is told Gemini's own words as they are", async () => {
		failing.answer(answering({ finishReason: "NO_IMAGE" }));
		const response = await gateway.ask(`/v1beta/models/two:${verb}`, { contents });
		expect([response.status, (await response.text()).includes("NO_IMAGE")]).toEqual([200, true]);
	});
});

test("MiniMax's word for a failure amid a stream that passes is told in OpenAI's too, and is what is written down", async () => {
	const failure = { id: "c", choices: null, base_resp: { status_code: 1002, status_msg: "Too often." } };
	const begun = chatChunk({ role: "assistant", content: "Hel" });
	failing.answer(() => streamOf([begun, `data: ${JSON.stringify(failure)}\n\n`]));
	const response = await gateway.ask("/v1/chat/completions", { model: "foreign", stream: true, messages });
	const told = (await response.text()).trim().split("\n\n");
	expect(told[1]).toContain('"base_resp"');
	expect(told[2]).toContain('"rate_limit_exceeded"');
	expect(await rowOf(response)).toMatchObject({ ending: "upstream_failed" });
});
