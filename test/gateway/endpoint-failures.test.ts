/** An upstream of an endpoint that fails within an answer of status 200: the next is asked, and nobody pays for the failure. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
	type ReceivedRequest,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";

type Answer = (request: ReceivedRequest) => Response;

const secret = "sk-upstreamsOwnKeyThatNobodyMaySee0123456789";
const told = { error: { message: `Incorrect API key provided: ${secret}`, type: "server_error" } };
const events = (...all: readonly unknown[]): string => all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
const stream = (text: string): Response => new Response(text, { headers: { "content-type": "text/event-stream" } });

let first: Answer;
let second: Answer;
let upstreams: readonly ScriptedUpstream[];
let gateway: TestGateway;

beforeAll(async () => {
	upstreams = [startUpstream((request) => first(request)), startUpstream((request) => second(request))];
	const [one, other] = upstreams.map(({ url }) => url);
	const target = (upstream: string) => ({ upstream, model: "m" });
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"generate-content",
			"embeddings",
			"completions",
			"audio",
			{ use: "prices", with: { models: { m: { input: 1, output: 10, perMinuteAudioIn: 0.06 } } } },
			"quota",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "one", protocol: "chat-completions", url: `${one}/v1`, key: secret },
						{ name: "other", protocol: "chat-completions", url: `${other}/v1`, key: "k" },
						{ name: "google", protocol: "generate-content", url: `${one}/v1beta`, key: secret },
					],
					models: [
						{ name: "both", targets: [target("one"), target("other")] },
						{ name: "one", targets: [target("one")] },
						{ name: "google", targets: [target("google")] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	for (const upstream of upstreams) await upstream.stop();
});
beforeEach(() => {
	first = () => Response.json(told);
	second = () => Response.json({ object: "list", data: [], model: "m", usage: { prompt_tokens: 7, total_tokens: 7 } });
});

const asked = async (path: string, body: object | FormData) => {
	const { key, id } = await gateway.token({ quota: 1 });
	const isForm = body instanceof FormData;
	const response = await fetch(gateway.url + path, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, ...(!isForm && { "content-type": "application/json" }) },
		body: isForm ? body : JSON.stringify(body),
	});
	const text = await response.text();
	const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
	expect(text).not.toContain(secret);
	return { status: response.status, text, used };
};

const form = (fields: Readonly<Record<string, string>>): FormData => {
	const made = new FormData();
	for (const [name, value] of Object.entries(fields)) made.append(name, value);
	made.append("file", new Blob([new Uint8Array(wav(30))], { type: "audio/wav" }), "a.wav");
	return made;
};

describe("a whole answer that is an error", () => {
	test("the next upstream is asked, and alone is paid", async () => {
		expect(await asked("/v1/embeddings", { model: "both", input: "Hello" })).toMatchObject({ status: 200, used: 7e-6 });
	});
	test("without a next it is a failure, in words without the upstream's secrets", async () => {
		const { status, text, used } = await asked("/v1/embeddings", { model: "one", input: "Hello" });
		expect({ status, used }).toEqual({ status: 502, used: 0 });
		expect(JSON.parse(text)).toHaveProperty("error.type", "upstream_error");
	});
	test("a text is one too; null is none", async () => {
		first = () => Response.json({ error: "model is loading" });
		expect((await asked("/v1/completions", { model: "one", prompt: "a" })).status).toBe(502);
		first = () => Response.json({ data: [], error: null });
		expect((await asked("/v1/embeddings", { model: "one", input: "a" })).status).toBe(200);
	});
	test("sound that is an error is none", async () => {
		expect(await asked("/v1/audio/speech", { model: "one", input: "Hello", voice: "alloy" })).toMatchObject({
			status: 502,
			used: 0,
		});
	});
	test("in the middle of a batch: what was answered before it is paid, and no more is asked", async () => {
		const [google] = upstreams;
		google?.received.splice(0);
		const usageMetadata = { promptTokenCount: 100 };
		first = () =>
			google?.received.length === 1
				? Response.json({ embeddings: Array.from({ length: 100 }, () => ({ values: [1] })), usageMetadata })
				: Response.json(told);
		const input = Array.from({ length: 250 }, () => "Hello");
		expect(await asked("/v1/embeddings", { model: "google", input })).toMatchObject({ status: 502, used: 1e-4 });
		expect(google?.received).toHaveLength(2);
	});
});

describe("an answer that does not say that it is JSON", () => {
	const answer = { embeddings: [{ values: [1, 0] }], usageMetadata: { promptTokenCount: 3 } };
	const ask = () => asked("/v1/embeddings", { model: "google", input: "Hello" });

	test.each(["text/plain", "application/octet-stream", ""])(
		"%j: of another dialect it is read all the same",
		async (type) => {
			first = () =>
				new Response(Buffer.from(JSON.stringify(answer)), { headers: type === "" ? {} : { "content-type": type } });
			const { status, text, used } = await ask();
			expect({ status, used }).toEqual({ status: 200, used: 3e-6 });
			expect(JSON.parse(text)).toMatchObject({ object: "list", data: [{ embedding: [1, 0] }] });
		},
	);
	test("and is none where it is no JSON either", async () => {
		first = () => new Response("Good morning", { headers: { "content-type": "text/plain" } });
		expect((await ask()).status).toBe(502);
	});
});

describe("a stream that tells an error", () => {
	const written = { type: "transcript.text.delta", delta: "Good" };
	const done = { type: "transcript.text.done", text: "Good", usage: { type: "duration", seconds: 30 } };

	test("before anything else: the next upstream is asked, and alone is paid", async () => {
		first = () => stream(events(told));
		second = () => stream(events(written, done));
		const { status, text, used } = await asked("/v1/audio/transcriptions", form({ model: "both", stream: "true" }));
		expect({ status, text, used }).toEqual({ status: 200, text: events(written, done), used: 0.03 });
	});
	test("before anything else, and without a next: a failure with its status", async () => {
		first = () => stream(events(told));
		const answer = await asked("/v1/audio/transcriptions", form({ model: "one", stream: "true" }));
		expect(answer).toMatchObject({ status: 502, used: 0 });
	});
	test("after some words: it is told once, without the upstream's secrets", async () => {
		let pieces = 0;
		const text = events(written);
		first = () =>
			new Response(
				new ReadableStream({
					async pull(to) {
						pieces++;
						to.enqueue(new TextEncoder().encode(pieces === 1 ? text : events(told)));
						if (pieces === 2) to.close();
					},
				}),
				{ headers: { "content-type": "text/event-stream" } },
			);
		const answer = await asked("/v1/audio/transcriptions", form({ model: "one", stream: "true" }));
		expect(answer.text.match(/"error"/g)).toHaveLength(1);
	});
	test("in place of sound: a failure with its status", async () => {
		first = () => stream(events(told));
		expect(await asked("/v1/audio/speech", { model: "one", input: "Hello", voice: "alloy" })).toMatchObject({
			status: 502,
			used: 0,
		});
	});
	test("words that speak of an error are none", async () => {
		const chunk = { choices: [{ index: 0, text: '"error": {}', finish_reason: "stop" }] };
		first = () => stream(`${events(chunk)}data: [DONE]\n\n`);
		const { status, text } = await asked("/v1/completions", { model: "one", prompt: "a", stream: true });
		expect({ status, said: text.includes("error") }).toEqual({ status: 200, said: true });
	});
});
