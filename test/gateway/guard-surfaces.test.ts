/** One table of every surface by which words reach a model, and what an inspector that takes its time does to each. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatAnswer, chatStream } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";

const card = "4111111111111111";
/** What upstreams say where their answers have words. */
const said = "Your [card_1] is fine";

let upstream: ScriptedUpstream;
let inspector: ScriptedUpstream;
let gateway: TestGateway;

const textAnswer = (object: string) => ({
	...chatAnswer(said),
	object,
	choices: [{ index: 0, text: said, finish_reason: "stop", logprobs: null }],
});

/** Answers by the path that was asked, in the upstream's protocol. */
const answers: readonly (readonly [RegExp, (streams: boolean) => Response])[] = [
	[
		/chat\/completions$/,
		(streams) => (streams ? streamOf(chatStream([{ content: said }])) : Response.json(chatAnswer(said))),
	],
	[
		/completions$/,
		(streams) =>
			streams
				? streamOf([`data: ${JSON.stringify(textAnswer("text_completion"))}\n\n`, "data: [DONE]\n\n"])
				: Response.json(textAnswer("text_completion")),
	],
	[
		/embeddings$/,
		() =>
			Response.json({
				object: "list",
				model: "m",
				data: [{ object: "embedding", index: 0, embedding: [0.5] }],
				usage: { prompt_tokens: 3, total_tokens: 3 },
			}),
	],
	[
		/rerank$/,
		() =>
			Response.json({
				id: "r",
				results: [{ index: 0, relevance_score: 0.5, document: { text: said } }],
				meta: { billed_units: { search_units: 1 } },
			}),
	],
	[
		/moderations$/,
		() => Response.json({ id: "x", model: "m", results: [{ flagged: false, categories: {}, category_scores: {} }] }),
	],
	[/speech$/, () => new Response(new Uint8Array(64), { headers: { "content-type": "audio/mpeg" } })],
	[/(?:transcriptions|translations)$/, () => Response.json({ text: said })],
	[/images\/generations$/, () => Response.json({ error: { message: said } }, { status: 400 })],
];

beforeAll(async () => {
	upstream = startUpstream(({ path, json }) => {
		const [, answer] = answers.find(([pattern]) => pattern.test(path)) ?? [];
		return answer?.(asRecord(json)["stream"] === true) ?? Response.json({ error: { message: said } }, { status: 400 });
	});
	inspector = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"responses",
			"generate-content",
			"embeddings",
			"rerank",
			"moderations",
			"completions",
			"audio",
			"ledger",
			"tasks",
			"webhooks",
			{
				use: "image",
				with: {
					upstreams: [{ type: "openai-images", name: "pictures", url: upstream.url, key: "k", models: ["picture"] }],
				},
			},
			"demo",
			{
				use: "guard-http",
				with: {
					url: `${inspector.url}/look`,
					privateNetwork: true,
					timeoutMs: 2_000,
					headers: { "x-key": "of-the-inspector" },
				},
			},
			{
				use: "router",
				with: {
					upstreams: [
						{
							name: "chat",
							protocol: "chat-completions",
							url: `${upstream.url}/v1`,
							endpoints: [
								"embeddings",
								"rerank",
								"moderations",
								"completions",
								"speech",
								"transcriptions",
								"translations",
							],
						},
					],
					models: [{ name: "m", targets: [{ upstream: "chat" }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	await inspector.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
	inspector.received.length = 0;
});

const minute = () => {
	const header = Buffer.alloc(44);
	header.write("RIFF", 0);
	header.writeUInt32LE(36 + 16_000, 4);
	header.write("WAVEfmt ", 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(8_000, 24);
	header.writeUInt32LE(16_000, 28);
	header.writeUInt16LE(2, 32);
	header.writeUInt16LE(16, 34);
	header.write("data", 36);
	header.writeUInt32LE(16_000, 40);
	return new Blob([Buffer.concat([header, Buffer.alloc(16_000)])], { type: "audio/wav" });
};
const form = (fields: Readonly<Record<string, string>>): FormData => {
	const made = new FormData();
	for (const [name, value] of Object.entries(fields)) made.append(name, value);
	made.append("file", minute(), "a.wav");
	return made;
};

const user = (content: unknown) => [{ role: "user", content }];
const call = (value: string) => ({
	id: "c1",
	type: "function",
	function: { name: "pay", arguments: `{"n":"${value}"}` },
});
const tool = { type: "function", function: { name: "pay", parameters: { type: "object" } } };

interface Surface {
	readonly name: string;
	readonly path: string;
	readonly body: () => Readonly<Record<string, unknown>> | FormData;
	/** The answer has words, in which the card is put back. */
	readonly speaks?: boolean;
	/** Answered without an upstream. */
	readonly local?: boolean;
	/** Its upstream is asked after the answer. */
	readonly later?: boolean;
}

const surface = (name: string, path: string, body: object, more: Partial<Surface> = {}): Surface => ({
	name,
	path,
	body: () => ({ model: "m", ...body }),
	...more,
});
const spoken = { speaks: true };

const surfaces: readonly Surface[] = [
	surface("chat", "/v1/chat/completions", { messages: user(card) }, spoken),
	surface("chat, streamed", "/v1/chat/completions", { messages: user(card), stream: true }, spoken),
	surface(
		"chat: tool arguments",
		"/v1/chat/completions",
		{
			messages: [
				...user("x"),
				{ role: "assistant", content: null, tool_calls: [call(card)] },
				{ role: "tool", tool_call_id: "c1", content: "ok" },
			],
			tools: [tool],
		},
		spoken,
	),
	surface("responses: text", "/v1/responses", { input: card }, spoken),
	surface("responses: items, streamed", "/v1/responses", { input: user(card), stream: true }, spoken),
	surface("responses: instructions", "/v1/responses", { input: "x", instructions: card }, spoken),
	surface("responses: compaction", "/v1/responses/compact", { input: user(card) }),
	surface("responses: count", "/v1/responses/input_tokens", { input: card }, { local: true }),
	surface("messages", "/v1/messages", { max_tokens: 50, messages: user(card) }, spoken),
	surface("messages, streamed", "/v1/messages", { max_tokens: 50, messages: user(card), stream: true }, spoken),
	surface("messages: count", "/v1/messages/count_tokens", { messages: user(card) }, { local: true }),
	surface(
		"gemini",
		"/v1beta/models/m:generateContent",
		{ contents: [{ role: "user", parts: [{ text: card }] }] },
		spoken,
	),
	surface(
		"gemini, streamed",
		"/v1beta/models/m:streamGenerateContent?alt=sse",
		{ contents: [{ role: "user", parts: [{ text: card }] }] },
		spoken,
	),
	surface(
		"gemini: count",
		"/v1beta/models/m:countTokens",
		{ contents: [{ role: "user", parts: [{ text: card }] }] },
		{ local: true },
	),
	surface("completions", "/v1/completions", { prompt: card }, spoken),
	surface("completions, streamed", "/v1/completions", { prompt: [card], stream: true }, spoken),
	surface("completions: suffix", "/v1/completions", { prompt: "x", suffix: card }, spoken),
	surface("embeddings", "/v1/embeddings", { input: [card, "x"] }),
	surface("rerank: query", "/v1/rerank", { query: card, documents: ["a", "b"] }),
	surface("rerank: documents", "/v1/rerank", { query: "q", documents: ["a", card], return_documents: true }),
	surface("moderations", "/v1/moderations", { input: card }),
	surface("moderations: parts", "/v1/moderations", { input: [{ type: "text", text: card }] }),
	surface("speech", "/v1/audio/speech", { input: card, voice: "alloy" }),
	surface("speech: instructions", "/v1/audio/speech", { input: "x", voice: "alloy", instructions: card }),
	{
		name: "transcriptions: prompt",
		path: "/v1/audio/transcriptions",
		body: () => form({ model: "m", prompt: card }),
		speaks: true,
	},
	{
		name: "transcriptions: a name that comes twice",
		path: "/v1/audio/transcriptions",
		body() {
			const made = form({ model: "m", "known_speaker_names[]": "Ann" });
			made.append("known_speaker_names[]", card);
			return made;
		},
		speaks: true,
	},
	{
		name: "translations: prompt",
		path: "/v1/audio/translations",
		body: () => form({ model: "m", prompt: card }),
		speaks: true,
	},
	surface("tasks: image", "/v1/tasks", { kind: "image", model: "picture", prompt: card }, { later: true }),
	surface("images", "/v1/images/generations", { model: "picture", prompt: card, async: true }, { later: true }),
];

const ask = (one: Surface): Promise<Response> => {
	const body = one.body();
	const init = { method: "POST", headers: { authorization: `Bearer ${gateway.key}` } };
	if (body instanceof FormData) return fetch(gateway.url + one.path, { ...init, body });
	const headers = { ...init.headers, "content-type": "application/json" };
	return fetch(gateway.url + one.path, { ...init, headers, body: JSON.stringify(body) });
};

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const textsOf = (json: unknown): readonly string[] => asList(asRecord(json)["texts"]).map(String);

describe("an inspector that takes its time and replaces", () => {
	beforeEach(() =>
		inspector.answer(async ({ json }) => {
			const texts = textsOf(json);
			await wait(3);
			if (!texts.some((text) => text.includes(card))) return Response.json({ action: "pass" });
			return Response.json({
				action: "replace",
				texts: texts.map((text) => text.replaceAll(card, "[card_1]")),
				restore: { "[card_1]": card },
			});
		}),
	);
	for (const one of surfaces)
		test(one.name, async () => {
			const response = await ask(one);
			const text = await response.text();
			expect([response.ok, one.name, text.slice(0, 300)]).toEqual([true, one.name, expect.any(String)]);
			if (one.later) await until(() => upstream.received.length > 0, "the submission");
			expect(upstream.received.length).toBe(one.local ? 0 : 1);
			for (const received of upstream.received) {
				expect(received.text).toContain("[card_1]");
				expect(received.text).not.toContain(card);
			}
			if (one.speaks) expect(text).toContain(card);
			expect(text).not.toContain("card_1");
			expect(inspector.received[0]?.headers.get("x-key")).toBe("of-the-inspector");
			expect(asRecord(inspector.received[0]?.json)).toMatchObject({ phase: "request", token: expect.any(String) });
		});
});

describe("an inspector that refuses", () => {
	beforeEach(() =>
		inspector.answer(async ({ json }) => {
			await wait(3);
			return Response.json(
				textsOf(json).some((text) => text.includes(card))
					? { action: "refuse", message: "No cards are sent from here.", code: "card_found" }
					: { action: "pass" },
			);
		}),
	);
	for (const one of surfaces)
		test(one.name, async () => {
			const response = await ask(one);
			expect([response.status, await response.text()]).toEqual([
				403,
				expect.stringContaining("No cards are sent from here."),
			]);
			await wait(5);
			expect(upstream.received).toEqual([]);
		});
});

describe("an inspector that fails refuses:", () => {
	const failures: readonly (readonly [string, () => Response | Promise<Response>])[] = [
		["status 500", () => new Response("{}", { status: 500 })],
		["no JSON", () => new Response("pass")],
		["another word", () => Response.json({ action: "maybe" })],
		["too few texts", () => Response.json({ action: "replace", texts: [] })],
		["a redirect", () => new Response(null, { status: 302, headers: { location: "/look" } })],
	];
	for (const [what, answer] of failures)
		for (const one of surfaces)
			test(`${what}, ${one.name}`, async () => {
				inspector.answer(answer);
				const response = await ask(one);
				expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/guard/i)]);
				expect(upstream.received).toEqual([]);
			});

	test("silence, after its time limit, for each surface", async () => {
		inspector.answer(() => new Promise<Response>(() => undefined));
		const all = await Promise.all(surfaces.map(ask));
		expect(all.map(({ status }) => status)).toEqual(surfaces.map(() => 500));
		expect(upstream.received).toEqual([]);
	});

	test("why is in the log and not in the answer", async () => {
		inspector.answer(() => new Response("{}", { status: 507 }));
		const [chatSurface] = surfaces;
		if (!chatSurface) throw new Error("no surface");
		expect(await (await ask(chatSurface)).text()).not.toContain("507");
		const lines = gateway.log.filter(({ msg }) => String(msg).startsWith("a guard failed"));
		expect(JSON.stringify(lines.at(-1))).toContain("it answered with status 507");
	});
});
