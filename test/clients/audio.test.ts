/** Sound for clients as people use them: OpenAI's SDKs in two major versions, and the AI SDK, against the demo and other upstreams. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateSpeech, transcribe } from "ai";
import OpenAI, { toFile } from "openai";
import OpenAI6, { toFile as toFile6 } from "openai-6";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let google: ScriptedUpstream;
let gateway: TestGateway;

const samples = Buffer.alloc(480);

beforeAll(async () => {
	google = startUpstream(() =>
		Response.json({
			candidates: [
				{
					content: {
						parts: [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: samples.toString("base64") } }],
					},
				},
			],
			usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 50 },
		}),
	);
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"generate-content",
			"audio",
			"demo",
			{
				use: "router",
				with: {
					upstreams: [{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "google-key" }],
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "gemini-tts", targets: [{ upstream: "google" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await google.stop();
});

describe.each([
	["7", OpenAI, toFile],
	["6", OpenAI6 as unknown as typeof OpenAI, toFile6 as unknown as typeof toFile],
])("openai %s", (_, Client, fileOf) => {
	const client = () => new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });

	test.each(["demo", "gemini-tts"])("audio.speech.create of %s", async (model) => {
		const speech = await client().audio.speech.create({
			model,
			voice: "alloy",
			input: "Hello",
			response_format: "wav",
		});
		expect(speech.headers.get("content-type")).toBe("audio/wav");
		expect(Buffer.from(await speech.arrayBuffer()).toString("latin1", 0, 4)).toBe("RIFF");
	});

	test("audio.transcriptions.create and translations.create of a file, as they stream it", async () => {
		const speech = await client().audio.speech.create({
			model: "demo",
			voice: "alloy",
			input: "Hello",
			response_format: "wav",
		});
		const file = await fileOf(Buffer.from(await speech.arrayBuffer()), "hello.wav");
		expect((await client().audio.transcriptions.create({ model: "demo", file })).text).toContain("demo");
		expect((await client().audio.translations.create({ model: "demo", file })).text).toContain("demo");
		const verbose = await client().audio.transcriptions.create({
			model: "demo",
			file,
			response_format: "verbose_json",
		});
		expect(verbose.segments?.[0]?.text).toContain("demo");
		const timed = await client().audio.transcriptions.create({
			model: "demo",
			file,
			response_format: "verbose_json",
			timestamp_granularities: ["word", "segment"],
		});
		expect(timed.words?.map(({ word }) => word).join(" ")).toBe(timed.text);
		expect([timed.words?.at(0)?.start, timed.words?.at(-1)?.end]).toEqual([0, expect.closeTo(timed.duration, 6)]);
		const parted = await client().audio.transcriptions.create({
			model: "demo",
			file,
			response_format: "diarized_json",
		});
		expect(parted).toMatchObject({ segments: [{ speaker: "A", text: expect.stringContaining("demo") }] });
		const odd = client().audio.transcriptions.create({ model: "demo", file, response_format: "xml" as "json" });
		expect(await odd.then(undefined, ({ status }) => status)).toBe(400);
		const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
		for await (const event of await client().audio.transcriptions.create({ model: "demo", file, stream: true }))
			events.push(event);
		// OpenAI's SDK for Java reads nothing else as the usage of a stream.
		const usage = { type: "tokens", input_tokens: expect.any(Number), output_tokens: events.length - 1 };
		expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", usage });
	});
});

describe("the demo's formats", () => {
	const speak = (order: object) =>
		gateway.ask("/v1/audio/speech", { model: "demo", voice: "alloy", input: "Hello", ...order });
	const marks = { mp3: ["fff3", "audio/mpeg"], wav: ["5249", "audio/wav"] } as const;

	test.each(["mp3", "wav", undefined] as const)("%s is what it says, as bytes and as events", async (format) => {
		const [mark, type] = marks[format ?? "mp3"];
		const order = format === undefined ? {} : { response_format: format };
		const answer = await speak(order);
		expect(answer.headers.get("content-type")).toBe(type);
		const bytes = Buffer.from(await answer.arrayBuffer());
		expect(bytes.toString("hex", 0, 2)).toBe(mark);
		const told = await (await speak({ ...order, stream_format: "sse" })).text();
		const pieces = [...told.matchAll(/"audio":"([^"]*)"/g)].map(([, audio = ""]) => Buffer.from(audio, "base64"));
		expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
	});

	test.each(["opus", "aac", "flac", "ogg"])("%s is refused with those there are", async (format) => {
		for (const more of [{}, { stream_format: "sse" }]) {
			const answer = await speak({ response_format: format, ...more });
			expect(answer.status).toBe(400);
			expect(await answer.json()).toMatchObject({
				error: { message: expect.stringContaining("mp3, wav or pcm"), param: "response_format" },
			});
		}
	});
});

describe("the AI SDK", () => {
	const openai = () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });

	test("generateSpeech, and transcribe of what was spoken", async () => {
		const { audio } = await generateSpeech({ model: openai().speech("demo"), text: "Hello", outputFormat: "wav" });
		expect(audio.mediaType).toBe("audio/wav");
		const usual = await generateSpeech({ model: openai().speech("demo"), text: "Hello" });
		expect([usual.audio.mediaType, Buffer.from(usual.audio.uint8Array).toString("hex", 0, 2)]).toEqual([
			"audio/mpeg",
			"fff3",
		]);
		const { text } = await transcribe({ model: openai().transcription("demo"), audio: audio.uint8Array });
		expect(text).toContain("demo");
	});

	test("generateSpeech of a model of Gemini's", async () => {
		const { audio } = await generateSpeech({
			model: openai().speech("gemini-tts"),
			text: "Hello",
			outputFormat: "wav",
		});
		expect(audio.uint8Array.length).toBe(44 + samples.length);
	});
});
