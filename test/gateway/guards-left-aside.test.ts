/** What protocols read nothing from goes on in the bytes of a call all the same: guards see it, and change it there. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

const card = "4111111111111111";
/** A picture of one pixel, in the alphabet of addresses. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk-M9QDwADhgGAWjR9awAAAABJRU5ErkJggg";

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(() => Response.json({ error: { message: "no" } }, { status: 400 }));
	const protocols = ["chat-completions", "responses", "messages", "generate-content"];
	gateway = await startGateway({
		plugins: [
			"tokens",
			...protocols,
			"audio",
			{ use: "guard-patterns", with: { patterns: [{ name: "card", pattern: "4[0-9]{15}" }] } },
			{
				use: "router",
				with: {
					upstreams: protocols.map((protocol) => ({
						name: protocol,
						protocol,
						url: upstream.url,
						...(protocol === "chat-completions" && { endpoints: ["transcriptions"] }),
					})),
					models: protocols.map((name) => ({ name, targets: [{ upstream: name }] })),
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
});

const chat = (part: object) => ({
	model: "chat-completions",
	messages: [{ role: "user", content: [{ type: "text", text: "x", ...part }] }],
});
const gemini = (part: object) => ({ contents: [{ role: "user", parts: [{ text: "x" }, part] }] });
const geminiPath = "/v1beta/models/generate-content:generateContent";

test.each([
	["chat: a part's own field", "/v1/chat/completions", chat({ note: `of ${card}` })],
	["chat: a number", "/v1/chat/completions", chat({ note: Number(card) })],
	["chat: a list in it", "/v1/chat/completions", chat({ notes: [{ type: "note", text: card }] })],
	["chat: a name of a field", "/v1/chat/completions", chat({ notes: { [card]: true } })],
	[
		"responses: what a namespace of tools is for",
		"/v1/responses",
		{
			model: "responses",
			input: "x",
			tools: [{ type: "namespace", name: "pay", description: card, tools: [{ type: "function", name: "now" }] }],
		},
	],
	[
		"messages: a message's own field",
		"/v1/messages",
		{ model: "messages", max_tokens: 50, messages: [{ role: "user", content: "x", note: card }] },
	],
	[
		"generate-content: a picture's",
		geminiPath,
		gemini({ inlineData: { mimeType: "image/png", data: pixel, note: card } }),
	],
] as const)("%s", async (_, path, body) => {
	await gateway.ask(path, body);
	const [sent] = upstream.received;
	expect(sent?.text).not.toContain(card);
	expect(sent?.text).toContain("[card_1]");
	// All else is as it came.
	expect(JSON.parse(sent?.text ?? "")).toEqual(
		JSON.parse(JSON.stringify(body).replaceAll(`:${card}`, ':"[card_1]"').replaceAll(card, "[card_1]")),
	);
});

test("pictures and what names things are not shown, and a request in which nothing is found goes as its bytes", async () => {
	const body = JSON.stringify(gemini({ inlineData: { mimeType: "image/png", data: pixel, id: card } }), undefined, 1);
	await gateway.ask(geminiPath, body);
	expect(upstream.received[0]?.text).toBe(body);
});

/** A second of silence: 8,000 samples of one byte. */
const wav = (): Blob => {
	const bytes = Buffer.alloc(44 + 8000);
	bytes.write("RIFF", 0);
	bytes.writeUInt32LE(36 + 8000, 4);
	bytes.write("WAVEfmt ", 8);
	for (const [value, at] of [
		[16, 16],
		[8000, 24],
		[8000, 28],
		[8000, 40],
	] as const)
		bytes.writeUInt32LE(value, at);
	for (const [value, at] of [
		[1, 20],
		[1, 22],
		[1, 32],
		[8, 34],
	] as const)
		bytes.writeUInt16LE(value, at);
	bytes.write("data", 36);
	return new Blob([bytes], { type: "audio/wav" });
};

const transcribe = async (filename: string, field = "language") => {
	const form = new FormData();
	form.set("model", "chat-completions");
	form.set(field, "en");
	form.set("file", wav(), filename);
	form.set("prompt", "after the file");
	const init = { method: "POST", headers: { authorization: `Bearer ${gateway.key}` }, body: form };
	const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, init);
	return { status: response.status, body: await response.json() };
};

test("the name of a file is seen and changed, and its bytes stay", async () => {
	await transcribe(`Call "of" ${card}.wav`);
	const [sent] = upstream.received;
	expect(sent?.text).not.toContain(card);
	const type = sent?.headers.get("content-type") ?? "";
	const form = await new Response(sent?.text, { headers: { "content-type": type } }).formData();
	const file = form.get("file");
	if (!(file instanceof File)) throw new Error("no file came");
	expect(file.name).toMatch(/^Call .+of.+ \[card_1\]\.wav$/);
	expect(file.type).toStartWith("audio/");
	expect(await file.bytes()).toEqual(await wav().bytes());
	expect([form.get("language"), form.get("prompt")]).toEqual(["en", "after the file"]);
});

test("an endpoint's request whose own field is called so is refused with what to do", async () => {
	const refusal = {
		status: 400,
		body: { error: { code: "invalid_value", message: expect.stringContaining("Leave the field out") as unknown } },
	};
	expect(await transcribe("a.wav", card)).toMatchObject(refusal);
	const body = { model: "chat-completions", input: "x", voice: "alloy", [card]: "y" };
	const response = await gateway.ask("/v1/audio/speech", body);
	expect({ status: response.status, body: await response.json() }).toMatchObject(refusal);
	expect(upstream.received).toEqual([]);
});

test("more of it than a guard looks through is refused", async () => {
	const notes = (count: number) => chat({ notes: Array.from({ length: count }, (_, index) => `note ${index}`) });
	const path = "/v1/chat/completions";
	await gateway.ask(path, notes(10_000));
	expect(upstream.received.length).toBe(1);
	const refused = await gateway.ask(path, notes(10_001));
	expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("more than 10000 values")]);
	expect(upstream.received.length).toBe(1);
});
