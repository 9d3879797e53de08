/** Sound through the front door: bytes, events, forms, what each costs, and who may ask. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import {
	checkPlugin,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestGateway,
} from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { wav } from "./fixtures/sounds.ts";

let upstream: ScriptedUpstream;
let google: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	google = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			"rate-limit",
			"chat-completions",
			"generate-content",
			"audio",
			{
				use: "prices",
				with: {
					models: {
						"whisper-1": { perMinuteAudioIn: 0.06 },
						"tts-1": { perMillionCharacters: 15 },
						"gpt-4o-mini-tts": { input: 1, output: 10 },
						"gemini-tts": { input: 1, output: 10 },
					},
				},
			},
			"quota",
			"ledger",
			"demo",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "up-key" },
						{ name: "mine", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "k", tenancy: "single" },
						{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "google-key" },
					],
					models: [
						{ name: "listener", targets: [{ upstream: "main", model: "whisper-1" }] },
						{ name: "tts-1", targets: [{ upstream: "main" }] },
						{
							name: "my-tts",
							targets: [
								{ upstream: "main", model: "tts-1" },
								{ upstream: "mine", model: "tts-1" },
							],
						},
						{ name: "gpt-4o-mini-tts", targets: [{ upstream: "main" }] },
						{ name: "gemini-tts", targets: [{ upstream: "google" }] },
						{ name: "demo", targets: [{ upstream: "demo" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await Promise.all([upstream.stop(), google.stop()]);
});
afterEach(() => {
	upstream.received.length = 0;
	google.received.length = 0;
});

const client = (key = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const minute = wav(60);
const formOf = (fields: Record<string, string>, file: Uint8Array | undefined = minute): FormData => {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	if (file) form.append("file", new Blob([new Uint8Array(file)], { type: "audio/wav" }), "speech.wav");
	return form;
};
const upload = (path: string, form: FormData, key = gateway.key) =>
	fetch(`${gateway.url}${path}`, { method: "POST", headers: bearer(key), body: form });
const usedBy = async (key: string): Promise<unknown> =>
	((await (await gateway.ask("/v1/me", undefined, { headers: bearer(key) })).json()) as { used: unknown }).used;
/** What is told of it once the call is settled, which may be after its last byte. */
const settled = async (key: string, expected: number): Promise<unknown> => {
	await until(async () => (await usedBy(key)) === expected, `a charge of ${expected}`, 60_000);
	return await usedBy(key);
};
const speak = (body: object, key = gateway.key) => gateway.ask("/v1/audio/speech", body, { headers: bearer(key) });
test("it keeps the contract", async () => {
	expect(await checkPlugin(import.meta.dir)).toEqual([]);
});

describe("a transcript", () => {
	test("is asked for with the client's own form under the target's name, and charged by the seconds told", async () => {
		upstream.answer(() => Response.json({ text: "Hello", usage: { type: "duration", seconds: 30 } }));
		const { key } = await gateway.token({ quota: 1 });
		const told = await client(key).audio.transcriptions.create({
			model: "listener",
			file: await toFile(minute, "speech.wav"),
			language: "en",
		});
		expect(told.text).toBe("Hello");
		const [got] = upstream.received;
		expect([got?.path, got?.headers.get("authorization")]).toEqual(["/v1/audio/transcriptions", "Bearer up-key"]);
		expect(got?.text).toContain('name="model"\r\n\r\nwhisper-1\r\n');
		expect(got?.text).toContain('name="language"\r\n\r\nen\r\n');
		expect(await usedBy(key)).toBe(0.03);
	});

	test("of a minute at $0.06 fits a quota of $0.10 exactly once, and of 50 at once one is let through", async () => {
		upstream.answer(() => Response.json({ text: "Hello" }));
		const { key } = await gateway.token({ quota: 0.1 });
		expect((await upload("/v1/audio/transcriptions", formOf({ model: "listener" }), key)).status).toBe(200);
		expect([429, 402]).toContain((await upload("/v1/audio/transcriptions", formOf({ model: "listener" }), key)).status);
		expect(await usedBy(key)).toBe(0.06);
		const other = await gateway.token({ quota: 0.1 });
		upstream.received.length = 0;
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => upload("/audio/translations", formOf({ model: "listener" }), other.key)),
		);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
		expect(upstream.received).toHaveLength(1);
		expect(await usedBy(other.key)).toBe(0.06);
	});

	test("as plain text is charged by the file's own length, verbose and Mistral's by the duration told", async () => {
		const { key } = await gateway.token({ quota: 1 });
		upstream.answer(() => new Response("Hello\n", { headers: { "content-type": "text/plain" } }));
		const plain = await upload("/v1/audio/transcriptions", formOf({ model: "listener", response_format: "text" }), key);
		expect(await plain.text()).toBe("Hello\n");
		expect(await settled(key, 0.06)).toBe(0.06);
		upstream.answer(() => Response.json({ text: "Hello", duration: 10 }));
		await upload("/v1/audio/transcriptions", formOf({ model: "listener", response_format: "verbose_json" }), key);
		expect(await settled(key, 0.07)).toBe(0.07);
		const usage = { prompt_audio_seconds: 20, prompt_tokens: 4, completion_tokens: 25, total_tokens: 404 };
		upstream.answer(() => Response.json({ model: "voxtral-mini-latest", text: "Hello", segments: [], usage }));
		await upload("/v1/audio/transcriptions", formOf({ model: "listener" }), key);
		expect(await settled(key, 0.09)).toBe(0.09);
	});

	test("streams event by event to the official client, and tells its use at the end", async () => {
		const events = [
			{ type: "transcript.text.delta", delta: "Hel" },
			{ type: "transcript.text.delta", delta: "lo" },
			{ type: "transcript.text.done", text: "Hello", usage: { type: "duration", seconds: 20 } },
		];
		upstream.answer(() => streamOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)));
		const { key } = await gateway.token({ quota: 1 });
		const stream = await client(key).audio.transcriptions.create({
			model: "listener",
			file: await toFile(minute, "speech.wav"),
			stream: true,
		});
		const seen: unknown[] = [];
		for await (const event of stream) seen.push(event);
		expect(seen).toEqual(events);
		expect(await settled(key, 0.02)).toBe(0.02);
	});

	test("that breaks off is told as an error, and charged as all that was sent", async () => {
		upstream.answer(() => streamOf(['data: {"type":"transcript.text.delta","delta":"Hel"}\n\n']));
		const { key } = await gateway.token({ quota: 1 });
		const answer = await upload("/v1/audio/transcriptions", formOf({ model: "listener", stream: "true" }), key);
		expect(await answer.text()).toContain('"error"');
		expect(await settled(key, 0.06)).toBe(0.06);
	});

	test.each([
		["no model", formOf({}), "model"],
		[
			"no file",
			(() => {
				const form = new FormData();
				form.append("model", "listener");
				return form;
			})(),
			"file",
		],
		["an address instead of a file", formOf({ model: "listener", url: "https://example.com/a.wav" }), "url"],
		[
			"a model that is a file",
			(() => {
				const form = formOf({});
				form.append("model", new Blob(["x"]), "x");
				return form;
			})(),
			"model",
		],
		[
			"two files",
			(() => {
				const form = formOf({ model: "listener" });
				form.append("file", new Blob(["x"]), "x.wav");
				return form;
			})(),
			"file",
		],
		[
			"two models",
			(() => {
				const form = formOf({ model: "listener" });
				form.append("model", "tts-1");
				return form;
			})(),
			"model",
		],
	])("is refused without reaching the upstream: %s", async (_name, form, param) => {
		const answer = await upload("/v1/audio/transcriptions", form);
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({
			error: { type: "invalid_request_error", param, message: expect.any(String) },
		});
		expect(upstream.received).toHaveLength(0);
	});

	test("of a form that is none, or has no end, or comes as JSON, is refused with a sentence", async () => {
		const post = (body: string, type: string) =>
			fetch(`${gateway.url}/v1/audio/transcriptions`, {
				method: "POST",
				headers: { ...bearer(gateway.key), "content-type": type },
				body,
			});
		for (const answer of [
			await post("--B\r\n", "multipart/form-data"),
			await post(
				'--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nlistener\r\n',
				"multipart/form-data; boundary=B",
			),
			await post('{"model":"listener"}', "application/json"),
		]) {
			expect(answer.status).toBe(400);
			expect(await answer.json()).toMatchObject({
				error: { code: "invalid_form", message: expect.stringMatching(/\.$/) },
			});
		}
	});

	test("comes byte by byte, as slow clients send it", async () => {
		upstream.answer(() => Response.json({ text: "Hello", usage: { type: "duration", seconds: 1 } }));
		const request = new Request("http://localhost", { method: "POST", body: formOf({ model: "listener" }, wav(0.01)) });
		const type = request.headers.get("content-type") ?? "";
		const bytes = new Uint8Array(await request.arrayBuffer());
		let at = 0;
		const body = new ReadableStream<Uint8Array>({
			async pull(controller) {
				if (at === bytes.length) return controller.close();
				controller.enqueue(bytes.subarray(at, ++at));
				await new Promise((resolve) => setImmediate(resolve));
			},
		});
		const headers = { ...bearer(gateway.key), "content-type": type };
		const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
			method: "POST",
			headers,
			body,
			duplex: "half",
		} as RequestInit);
		expect(await answer.json()).toMatchObject({ text: "Hello" });
	});
});

describe("speech", () => {
	const asked = { model: "tts-1", input: "Good morning, all.", voice: "alloy" } as const;

	test("goes on as it comes, with its own type, and costs its characters", async () => {
		upstream.answer(() => streamOf([new Uint8Array([0xff, 0xfb, 1]), new Uint8Array([2, 3])], "audio/mpeg"));
		const { key } = await gateway.token({ quota: 1 });
		const answer = await client(key).audio.speech.create(asked);
		expect(answer.headers.get("content-type")).toBe("audio/mpeg");
		expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0xff, 0xfb, 1, 2, 3]);
		expect(upstream.received[0]?.json).toEqual(asked);
		expect(await settled(key, 0.00027)).toBe(0.00027);
	});

	test("of a model that bills tokens is asked for as events, goes on as bytes, and is charged exactly", async () => {
		const events = [
			{ type: "speech.audio.delta", audio: Buffer.from("one ").toString("base64") },
			{ type: "speech.audio.delta", audio: Buffer.from("two").toString("base64") },
			{ type: "speech.audio.done", usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110 } },
		];
		upstream.answer(() => streamOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)));
		const { key } = await gateway.token({ quota: 1 });
		const answer = await speak({ ...asked, model: "gpt-4o-mini-tts", response_format: "opus" }, key);
		expect(answer.headers.get("content-type")).toBe("audio/opus");
		expect(await answer.text()).toBe("one two");
		expect(upstream.received[0]?.json).toMatchObject({ stream_format: "sse", response_format: "opus" });
		expect(await settled(key, 0.00101)).toBe(0.00101);
		const stream = await speak({ ...asked, model: "gpt-4o-mini-tts", stream_format: "sse" }, key);
		expect(stream.headers.get("content-type")).toContain("text/event-stream");
		expect(await stream.text()).toBe(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
		expect(await settled(key, 0.00202)).toBe(0.00202);
	});

	test("that breaks off does not look whole, and a client that leaves pays for what was asked", async () => {
		const { key } = await gateway.token({ quota: 1 });
		upstream.answer(({ signal }) => {
			const body = new ReadableStream<Uint8Array>({
				start(controller) {
					controller.enqueue(new Uint8Array(2000));
					signal.addEventListener("abort", () => controller.error(new Error("gone")), { once: true });
				},
			});
			return new Response(body, { headers: { "content-type": "audio/mpeg" } });
		});
		const leaving = new AbortController();
		const answer = await fetch(`${gateway.url}/v1/audio/speech`, {
			method: "POST",
			headers: { ...bearer(key), "content-type": "application/json" },
			body: JSON.stringify(asked),
			signal: leaving.signal,
		});
		await answer.body?.getReader().read();
		leaving.abort();
		expect(await settled(key, 0.00027)).toBe(0.00027);
		upstream.answer(() => streamOf(['data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n']));
		const cut = await speak({ ...asked, model: "gpt-4o-mini-tts" })
			.then(async (response) => response.arrayBuffer())
			.catch((error: unknown) => error);
		expect(cut).toBeInstanceOf(Error);
	});

	test("of Gemini's models is a WAV or plain samples behind OpenAI's route, with exact use", async () => {
		const samples = Buffer.from([1, 2, 3, 4]);
		google.answer(() =>
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
		const { key } = await gateway.token({ quota: 1 });
		const answer = await speak(
			{ ...asked, model: "gemini-tts", instructions: "Gladly", response_format: "wav", speed: 2 },
			key,
		);
		expect(answer.headers.get("content-type")).toBe("audio/wav");
		expect(answer.headers.get("x-portico-dropped")).toBe("speed");
		const bytes = Buffer.from(await answer.arrayBuffer());
		expect([bytes.toString("latin1", 0, 4), bytes.readUInt32LE(24), bytes.readUInt32LE(40)]).toEqual([
			"RIFF",
			24_000,
			4,
		]);
		expect(bytes.subarray(44).equals(samples)).toBe(true);
		const [got] = google.received;
		expect([got?.path, got?.headers.get("x-goog-api-key")]).toEqual([
			"/v1beta/models/gemini-tts:generateContent",
			"google-key",
		]);
		expect(got?.json).toEqual({
			contents: [{ role: "user", parts: [{ text: "Gladly\n\nGood morning, all." }] }],
			generationConfig: {
				responseModalities: ["AUDIO"],
				speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
			},
		});
		expect(await settled(key, 0.000504)).toBe(0.000504);
		const plain = await speak({ ...asked, model: "gemini-tts", response_format: "pcm" }, key);
		expect(Buffer.from(await plain.arrayBuffer()).equals(samples)).toBe(true);
		expect((await speak({ ...asked, model: "gemini-tts", response_format: "mp3" }, key)).status).toBe(400);
		const own = await speak({ ...asked, model: "gemini-tts", voice: { id: "voice_1" }, response_format: "wav" }, key);
		expect(own.headers.get("x-portico-dropped")).toBe("voice");
		await own.arrayBuffer();
	});

	test("by a voice that was made for an account is spoken by that account alone", async () => {
		upstream.answer(() => streamOf([new Uint8Array([1])], "audio/mpeg"));
		const voice = { id: "voice_1" };
		const refused = await speak({ ...asked, voice });
		expect(refused.status).toBe(400);
		expect(await refused.json()).toMatchObject({
			error: { code: "unknown_reference", param: "voice", message: expect.stringContaining("by its name") },
		});
		expect(upstream.received).toEqual([]);
		const spoken = await speak({ ...asked, model: "my-tts", voice });
		expect(spoken.status).toBe(200);
		await spoken.arrayBuffer();
		expect(upstream.received.map(({ headers, json }) => [headers.get("authorization"), json])).toEqual([
			["Bearer k", { ...asked, voice }],
		]);
	});

	test.each([
		[{ model: "tts-1" }, "input"],
		[{ input: "x" }, "model"],
		[{ ...asked, speed: 9 }, "speed"],
	])("is refused with a sentence: %p", async (body, param) => {
		const answer = await speak(body);
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({ error: { param } });
	});

	test("an upstream's refusal is told without its key", async () => {
		upstream.answer(() => Response.json({ error: { message: "Bad voice. Key up-key." } }, { status: 400 }));
		const answer = await speak(asked);
		expect(answer.status).toBe(400);
		expect(await answer.text()).toContain("Bad voice");
	});
});

describe("Azure's addresses", () => {
	const path = "/openai/deployments/listener/audio/transcriptions?api-version=2024-10-21";

	test.each([
		["which its clients leave out of the form", {}],
		["before the one in the form", { model: "demo" }],
	])("name the model, %s", async (_, fields: Record<string, string>) => {
		upstream.answer(() => Response.json({ text: "Hi", usage: { type: "duration", seconds: 2 } }));
		expect(await (await upload(path, formOf({ ...fields, language: "en" }))).json()).toMatchObject({ text: "Hi" });
		const { path: asked, text = "" } = upstream.received.at(-1) ?? {};
		expect(asked).toBe("/v1/audio/transcriptions");
		expect(text.match(/name="model"\r\n\r\n[^\r]*/g)).toEqual(['name="model"\r\n\r\nwhisper-1']);
		expect(text).toContain('name="language"\r\n\r\nen\r\n');
	});

	test("give nobody a model that is not theirs", async () => {
		const { key } = await gateway.token({ models: ["demo"] });
		expect((await upload(path, formOf({ model: "demo" }), key)).status).toBe(404);
		const crooked = "/openai/deployments/demo%22%0d%0a--x%0d%0a/audio/transcriptions";
		expect([400, 404]).toContain((await upload(crooked, formOf({}), key)).status);
	});
});

describe("who may ask:", () => {
	const paths = [
		"/v1/audio/speech",
		"/v1/audio/transcriptions",
		"/v1/audio/translations",
		"/audio/speech",
		"/audio/transcriptions",
		"/audio/translations",
		"/openai/v1/audio/speech",
		"/v1beta/openai/audio/transcriptions",
		"/openai/deployments/demo/audio/translations",
		"/openai/deployments/demo/audio/speech",
	];
	const ask = (path: string, key: string): Promise<Response> =>
		path.endsWith("speech")
			? gateway.ask(path, { model: "demo", input: "Hi", voice: "a", response_format: "wav" }, { headers: bearer(key) })
			: upload(path, formOf({ model: "demo" }, wav(1)), key);

	test.each(paths)("%s", async (path) => {
		expect((await ask(path, gateway.key)).status).toBe(200);
		expect((await ask(path, `sk-${"x".repeat(49)}`)).status).toBe(401);
		const cases: readonly [Record<string, unknown>, readonly number[]][] = [
			[{ models: ["other"] }, [403, 404]],
			[{ ips: ["203.0.113.0/24"] }, [403]],
			[{ expiresAt: "2020-01-01T00:00:00Z" }, [401]],
			[{ quota: 0 }, [402, 429]],
		];
		for (const [settings, statuses] of cases) {
			const answer = await ask(path, (await gateway.token(settings)).key);
			expect(statuses).toContain(answer.status);
			expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/.{10}/) } });
		}
		const limited = await gateway.token({ rateLimit: { requestsPerMinute: 1 } });
		expect([(await ask(path, limited.key)).status, (await ask(path, limited.key)).status]).toEqual([200, 429]);
	});
});

describe("the demo", () => {
	test("speaks, and hears how long it spoke", async () => {
		const spoken = await client().audio.speech.create({
			model: "demo",
			input: "Good morning to you",
			voice: "alloy",
			response_format: "wav",
		});
		const bytes = Buffer.from(await spoken.arrayBuffer());
		expect([bytes.toString("latin1", 0, 4), spoken.headers.get("content-type")]).toEqual(["RIFF", "audio/wav"]);
		const file = await toFile(bytes, "demo.wav");
		const seconds = (bytes.length - 44) / 48_000;
		const told = await client().audio.transcriptions.create({ model: "demo", file });
		expect(told.text).toContain("demo");
		expect(told.text).toContain(`${Math.round(seconds * 1000) / 1000} seconds`);
		const english = await client().audio.translations.create({ model: "demo", file, response_format: "srt" });
		expect(String(english)).toContain("00:00:00,000 -->");
		const stream = await client().audio.transcriptions.create({ model: "demo", file, stream: true });
		const types: string[] = [];
		for await (const { type } of stream) types.push(type);
		expect([types[0], types.at(-1)]).toEqual(["transcript.text.delta", "transcript.text.done"]);
	});

	test("tells events of speech too", async () => {
		const text = await (await speak({ model: "demo", input: "Hi", voice: "a", stream_format: "sse" })).text();
		expect(text).toContain("speech.audio.done");
	});
});
