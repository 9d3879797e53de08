/** Promise: sound pays for all that is spoken and heard, whichever field it was smuggled in, and whatever is told of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld, rates } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	const heard = { perMinuteAudioIn: 0.06, leastSecondsAudioIn: 10 };
	const models = { "chat-completions-whisper": heard, "*": rates };
	world = await attackWorld({ plugins: ["audio", { use: "prices", with: { models } }] });
});
afterAll(() => world.stop());

const story = "Once upon a time there was a gateway that nobody could cheat. ".repeat(20);
/** A voice says some fifteen characters in a second, which are 25 tokens. */
const spoken = Math.ceil((story.length / 15) * 25);

const speak = async (body: object): Promise<{ readonly status: number; readonly used: number }> => {
	const { key } = await world.gateway.token({ quota: 10 });
	const headers = { authorization: `Bearer ${key}` };
	const answer = await world.gateway.ask("/v1/audio/speech", { voice: "alloy", ...body }, { headers });
	await answer.arrayBuffer().catch(() => undefined);
	return { status: answer.status, used: await world.used(key) };
};

test("a text in the instructions, which Gemini's models may speak too", async () => {
	const inlineData = { mimeType: "audio/L16;rate=24000", data: Buffer.alloc(4800).toString("base64") };
	const usageMetadata = { promptTokenCount: 300, candidatesTokenCount: spoken };
	world.upstream.answer(() => Response.json({ candidates: [{ content: { parts: [{ inlineData }] } }], usageMetadata }));
	const { status, used } = await speak({ model: "generate-content-a", input: "a", instructions: story });
	expect(status).toBe(200);
	expect(used).toBe(300 * rates.input + spoken * rates.output);
});

test.each(["input", "instructions"])("a book as the %s stops nobody else, and is refused", async (field) => {
	const book = "\u{1f600} ".repeat(5_000_000);
	const { result, stoppedMs } = await longestStop(() =>
		speak({ model: "chat-completions-a", input: "a", [field]: book }),
	);
	expect(result).toEqual({ status: 400, used: 0 });
	// Half a second and a gigabyte of memory went for 16 MB.
	expect(stoppedMs).toBeLessThan(400);
});

test.each(["audio", "sse"])("a count of no tokens for a sound (%s)", async (format) => {
	const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
	const audio = Buffer.alloc(4800).toString("base64");
	const usage = { input_tokens: 50, output_tokens: 0, total_tokens: 50 };
	const told = event({ type: "speech.audio.delta", audio }) + event({ type: "speech.audio.done", usage });
	world.upstream.answer(() => new Response(told, { headers: { "content-type": "text/event-stream" } }));
	const model = "chat-completions-gpt-4o-mini-tts";
	const asked = { model, input: story, stream_format: format };
	const { status, used } = await speak(asked);
	expect(status).toBe(200);
	expect(used).toBeGreaterThanOrEqual(spoken * rates.output);
});

test.each([
	["https://example.com/four-hours.mp3", undefined],
	["four hours", undefined],
	[" HTTPS://example.com/four-hours.mp3", "a.mp3"],
	["RIFF", ""],
] as const)("a text in the place of a file, which Together and Fireworks fetch: %p, called %p", async (text, name) => {
	world.upstream.received.length = 0;
	const head = `name="file"${name === undefined ? "" : `; filename="${name}"`}`;
	const parts = [`name="model"\r\n\r\nchat-completions-whisper`, `${head}\r\n\r\n${text}`];
	const body = `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join("")}--b--\r\n`;
	const { key } = await world.gateway.token({ quota: 10 });
	const headers = { authorization: `Bearer ${key}`, "content-type": "multipart/form-data; boundary=b" };
	const answer = await world.gateway.ask("/v1/audio/transcriptions", body, { headers });
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("the sound itself")]);
	expect(world.upstream.received).toHaveLength(0);
});

test.each([
	{ type: "tokens", input_tokens: 0, output_tokens: 5 },
	{ type: "tokens", input_tokens: 0, output_tokens: 0 },
	{ type: "duration", seconds: 0 },
	{ type: "duration", seconds: "30" },
	{ type: "duration", seconds: -30 },
	{ prompt_audio_seconds: -30, prompt_tokens: 0, completion_tokens: 5 },
	{ type: "tokens", input_tokens: "300", output_tokens: 5 },
])("no count of what was heard: %j", async (usage) => {
	world.upstream.answer(() => Response.json({ text: "Hello", usage }));
	const form = new FormData();
	form.append("model", "chat-completions-listener");
	form.append("file", new Blob([new Uint8Array(wav(30))], { type: "audio/wav" }), "a.wav");
	const { key } = await world.gateway.token({ quota: 10 });
	const headers = { authorization: `Bearer ${key}` };
	const url = `${world.gateway.url}/v1/audio/transcriptions`;
	await (await fetch(url, { method: "POST", headers, body: form })).text();
	// Ten tokens a second are the least that any model hears.
	expect(await world.used(key)).toBeGreaterThanOrEqual(300 * rates.input);
});

test.each([
	[0.01, 0.01, 10_000],
	[1, undefined, 10_000],
	[30, 30, 30_000],
])("a sound of %p seconds where ten are billed at least", async (seconds, told, cost) => {
	world.upstream.answer(() =>
		Response.json({ text: "Hi", ...(told && { usage: { type: "duration", seconds: told } }) }),
	);
	const form = new FormData();
	form.append("model", "chat-completions-whisper");
	form.append("file", new Blob([new Uint8Array(wav(seconds))], { type: "audio/wav" }), "a.wav");
	const { key } = await world.gateway.token({ quota: 10 });
	const headers = { authorization: `Bearer ${key}` };
	const url = `${world.gateway.url}/v1/audio/transcriptions`;
	const answer = await fetch(url, { method: "POST", headers, body: form });
	expect(answer.status).toBe(200);
	await answer.text();
	expect(await world.used(key)).toBe(cost);
});
