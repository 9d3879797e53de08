/** A node that is killed in the middle of a stream of sound: what the upstream may have billed is charged all the same, once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ReceivedRequest, type ScriptedUpstream, startUpstream } from "#core/testing";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";
import { createSlowNode, type SlowNode } from "../slow/node.ts";

let upstream: ScriptedUpstream;
let node: SlowNode;

/** One second of plain samples at 24 kHz. */
const second = new Uint8Array(48_000).fill(7);
const event = (fields: object) => new TextEncoder().encode(`data: ${JSON.stringify(fields)}\n\n`);

/** A first piece, and then nothing for as long as anybody listens. */
const endless = ({ path, json, signal }: ReceivedRequest): Response => {
	const isSpoken = path.endsWith("/speech");
	const inEvents = !isSpoken || (json as { stream_format?: string }).stream_format === "sse";
	const spoken = { type: "speech.audio.delta", audio: Buffer.from(second).toString("base64") };
	const first = isSpoken ? spoken : { type: "transcript.text.delta", delta: "Good morning" };
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			controller.enqueue(inEvents ? event(first) : second);
			signal.addEventListener("abort", () => controller.close(), { once: true });
		},
	});
	return new Response(body, { headers: { "content-type": inEvents ? "text/event-stream" : "audio/pcm" } });
};

const prices = {
	"tts-1": { perMillionCharacters: 15 },
	"tts-by-the-minute": { perMinuteAudioOut: 0.6 },
	"gpt-tokens-tts": { input: 0.6, output: 12 },
	"whisper-1": { perMinuteAudioIn: 0.006 },
};

beforeAll(async () => {
	upstream = startUpstream(endless);
	node = createSlowNode(
		[
			"tokens",
			"chat-completions",
			"audio",
			{ use: "prices", with: { models: prices } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "up-key" }],
					models: Object.keys(prices).map((name) => ({ name, targets: [{ upstream: "main" }] })),
				},
			},
		].map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin)),
	);
	await node.start();
});
afterAll(async () => {
	await node.close();
	await upstream.stop();
});

const speak = (key: string, model: string): Promise<Response> =>
	fetch(`${node.address}/v1/audio/speech`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model, voice: "alloy", input: "Good morning, all.", response_format: "pcm" }),
	});

const transcribe = (key: string, model: string): Promise<Response> => {
	const body = new FormData();
	for (const [name, value] of Object.entries({ model, stream: "true" })) body.set(name, value);
	body.set("file", new Blob([new Uint8Array(wav(60))], { type: "audio/wav" }), "minute.wav");
	return fetch(`${node.address}/v1/audio/transcriptions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}` },
		body,
	});
};

const usedBy = async (key: string): Promise<unknown> =>
	(await node.ask("GET", "/v1/me", undefined, { authorization: `Bearer ${key}` })).body["used"];

// Of 18 characters: at $15 a million. One second of at most 10 (0.4 for each character, and 2) was delivered, at $0.6 a
// minute. As tokens that is 20 of at most 250, at $12 a million, beside some of input. Of a file: all that it lasts.
test.each([
	["tts-1", speak, 0.000_27, 0.000_27],
	["tts-by-the-minute", speak, 0.01, 0.1],
	["gpt-tokens-tts", speak, 0.000_24, 0.003 + 0.000_05],
	["whisper-1", transcribe, 0.006, 0.006],
] as const)(
	"%s: what was delivered is charged, or more, and never more than was held",
	async (model, ask, least, most) => {
		const { key } = await node.token({ quota: most + 0.000_001 });
		const reader = (await ask(key, model)).body?.getReader();
		let got = 0;
		while (got === 0) got = (await reader?.read())?.value?.length ?? 0;
		await node.kill();
		await reader?.cancel().catch(() => undefined);
		await node.start();
		const used = await usedBy(key);
		expect(used).toBeGreaterThanOrEqual(least);
		expect(used).toBeLessThanOrEqual(most);
		// It was told once: another death charges nothing anew.
		await node.kill();
		await node.start();
		expect(await usedBy(key)).toBe(used);
	},
	60_000,
);
