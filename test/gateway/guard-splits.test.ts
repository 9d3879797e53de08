/** Answers under guards, in streams cut at any byte: what is put back, what is refused, and in whose words, from each protocol to each. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asList, asRecord, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

const card = "4111111111111111";
/** Each of its characters is an event of its own; some are more bytes than one. */
const said = "Größe 🂡: [card_1]… and [card_1]🂡 [card_";
const heard = said.replaceAll("[card_1]", card);

let upstream: ScriptedUpstream;
let inspector: ScriptedUpstream;
let gateway: TestGateway;
let watched: TestGateway;

const data = (value: object, name?: string) =>
	`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
const typed = (value: { readonly type: string }) => data(value, value.type);

const streams: Readonly<Record<string, (text: string) => string>> = {
	"chat-completions": (text) => {
		const chunk = (delta: object, finish: string | null = null) =>
			data({
				id: "c",
				object: "chat.completion.chunk",
				created: 1,
				model: "m",
				choices: [{ index: 0, delta, finish_reason: finish }],
			});
		return [
			chunk({ role: "assistant", content: "" }),
			...[...text].map((content) => chunk({ content })),
			chunk({}, "stop"),
			"data: [DONE]\n\n",
		].join("");
	},
	messages: (text) =>
		[
			{
				type: "message_start",
				message: {
					id: "msg_1",
					type: "message",
					role: "assistant",
					model: "m",
					content: [],
					stop_reason: null,
					stop_sequence: null,
					usage: { input_tokens: 5, output_tokens: 1 },
				},
			},
			{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
			...[...text].map((one) => ({
				type: "content_block_delta",
				index: 0,
				delta: { type: "text_delta", text: one },
			})),
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } },
			{ type: "message_stop" },
		]
			.map(typed)
			.join(""),
	responses: (text) => {
		const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
		const item = (status: string, content: readonly object[]) => ({
			id: "msg_1",
			type: "message",
			status,
			role: "assistant",
			content,
		});
		const response = (status: string, output: readonly object[]) => ({
			id: "resp_1",
			object: "response",
			created_at: 1,
			status,
			model: "m",
			output,
			usage: status === "completed" ? { input_tokens: 5, output_tokens: 9, total_tokens: 14 } : null,
		});
		const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
		return [
			{ type: "response.created", response: response("in_progress", []) },
			{ type: "response.output_item.added", output_index: 0, item: item("in_progress", []) },
			{ type: "response.content_part.added", ...at, part: part("") },
			...[...text].map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
			{ type: "response.output_text.done", ...at, text, logprobs: [] },
			{ type: "response.content_part.done", ...at, part: part(text) },
			{ type: "response.output_item.done", output_index: 0, item: item("completed", [part(text)]) },
			{ type: "response.completed", response: response("completed", [item("completed", [part(text)])]) },
		]
			.map((event, index) => data({ ...event, sequence_number: index }, event.type))
			.join("");
	},
	"generate-content": (text) => {
		const chunk = (one: string, more: object = {}) =>
			data({
				candidates: [{ index: 0, content: { role: "model", parts: [{ text: one }] }, ...more }],
				usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
				modelVersion: "m",
				responseId: "r",
			});
		return [...[...text].map((one) => chunk(one)), chunk("", { finishReason: "STOP" })].join("");
	},
};
const names = Object.keys(streams);
const base: Readonly<Record<string, string>> = { messages: "", "generate-content": "/v1beta" };

/** How each protocol asks for a stream, and where its events have the answer's words. */
const clients: readonly (readonly [
	name: string,
	path: (model: string) => string,
	body: (model: string) => object,
	words: (event: Readonly<Record<string, unknown>>) => unknown,
])[] = [
	[
		"chat-completions",
		() => "/v1/chat/completions",
		(model) => ({ model, stream: true, messages: [{ role: "user", content: card }] }),
		({ choices }) => asRecord(asRecord(asList(choices)[0])["delta"])["content"],
	],
	[
		"messages",
		() => "/v1/messages",
		(model) => ({ model, stream: true, max_tokens: 99, messages: [{ role: "user", content: card }] }),
		({ type, delta }) => (type === "content_block_delta" ? asRecord(delta)["text"] : ""),
	],
	[
		"responses",
		() => "/v1/responses",
		(model) => ({ model, stream: true, input: card }),
		({ type, delta }) => (type === "response.output_text.delta" ? delta : ""),
	],
	[
		"generate-content",
		(model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
		() => ({ contents: [{ role: "user", parts: [{ text: card }] }] }),
		({ candidates }) =>
			asList(asRecord(asRecord(asList(candidates)[0])["content"])["parts"])
				.map((part) => asRecord(part)["text"])
				.join(""),
	],
];

beforeAll(async () => {
	upstream = startUpstream();
	inspector = startUpstream();
	const house = (guard: object) =>
		startGateway({
			plugins: [
				"tokens",
				...names,
				"ledger",
				guard as { use: string },
				{
					use: "router",
					with: {
						upstreams: names.map((name) => ({ name, protocol: name, url: upstream.url + (base[name] ?? "/v1") })),
						models: names.map((name) => ({ name: `at-${name}`, targets: [{ upstream: name, model: "m" }] })),
					},
				},
			],
		});
	gateway = await house({ use: "guard-patterns", with: { patterns: [{ name: "card", pattern: "4[0-9]{15}" }] } });
	watched = await house({
		use: "guard-http",
		with: { url: inspector.url, privateNetwork: true, answers: true, window: 24 },
	});
});
afterAll(async () => {
	await gateway.stop();
	await watched.stop();
	await upstream.stop();
	await inspector.stop();
});
beforeEach(() => {
	upstream.received.length = 0;
	inspector.received.length = 0;
});

const bytesOf = (name: string, text: string): Uint8Array => new TextEncoder().encode(streams[name]?.(text) ?? "");

const cutInto = (bytes: Uint8Array, size: number): Uint8Array[] =>
	Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
		bytes.subarray(index * size, (index + 1) * size),
	);

const eventsOf = (text: string): readonly Readonly<Record<string, unknown>>[] =>
	text
		.split("\n")
		.filter((line) => line.startsWith("data: {"))
		.map((line) => asRecord(parseJson(line.slice(6))));

const asked = async (house: TestGateway, client: (typeof clients)[number], at: string): Promise<string> => {
	const [, path, body] = client;
	const response = await fetch(house.url + path(`at-${at}`), {
		method: "POST",
		headers: { authorization: `Bearer ${house.key}`, "content-type": "application/json" },
		body: JSON.stringify(body(`at-${at}`)),
	});
	return await response.text();
};

const wordsOf = (client: (typeof clients)[number], text: string): string =>
	eventsOf(text)
		.map(client[3])
		.filter((words) => typeof words === "string")
		.join("");

describe("the client's own words are put back, wherever the stream is cut:", () => {
	for (const client of clients)
		for (const at of names)
			test(`${client[0]} at an upstream of ${at}`, async () => {
				const bytes = bytesOf(at, said);
				for (const size of [1, 2, 3, 5, 7, 13, 31, 64, 101, 997, bytes.length]) {
					upstream.answer(() => streamOf(cutInto(bytes, size)));
					const text = await asked(gateway, client, at);
					expect([size, wordsOf(client, text)]).toEqual([size, heard]);
					expect(text).not.toContain("card_1");
				}
				for (const { text } of upstream.received) expect(text).not.toContain(card);
			}, 60_000);

	test("two pieces, cut within the stand-in and at every byte around it", async () => {
		for (const client of clients) {
			const [at] = client;
			const bytes = bytesOf(at, "[card_1]é");
			const text = new TextDecoder().decode(bytes);
			const [first, last] = [text.indexOf('"["') - 40, text.indexOf('"a"') + 40];
			expect([first > 0, last > first]).toEqual([true, true]);
			for (let cut = first; cut < last; cut++) {
				upstream.answer(() => streamOf([bytes.subarray(0, cut), bytes.subarray(cut)]));
				const words = wordsOf(client, await asked(gateway, client, at));
				if (words !== `${card}é`) expect([at, cut, words]).toEqual([at, cut, `${card}é`]);
			}
		}
	}, 60_000);
});

describe("an inspector that looks at answers", () => {
	const inspects = (found: string, verdict: (text: string) => object) =>
		inspector.answer(async ({ json }) => {
			const { phase, texts } = asRecord(json);
			const [text = ""] = asList(texts).map(String);
			await Promise.resolve();
			return Response.json(phase === "answer" && text.includes(found) ? verdict(text) : { action: "pass" });
		});
	const long = `${"words and ".repeat(12)}the secret is out, ${"and more ".repeat(12)}`;

	for (const client of clients)
		for (const at of names) {
			test(`replaces in ${client[0]} at ${at}, though the words come letter by letter`, async () => {
				inspects("secret", (text) => ({ action: "replace", texts: [text.replaceAll("secret", "thing")] }));
				upstream.answer(() => streamOf(cutInto(bytesOf(at, long), 17)));
				const text = await asked(watched, client, at);
				expect(wordsOf(client, text)).toBe(long.replace("secret", "thing"));
				expect(text).not.toContain("secret");
			});

			test(`refuses in ${client[0]} at ${at}, and not one letter of it goes out`, async () => {
				inspects("secret", () => ({ action: "refuse", message: "That is not told.", code: "told_too_much" }));
				// Many small pieces, and all at once, the end included.
				for (const size of [17, 1_000_000]) {
					upstream.answer(() => streamOf(cutInto(bytesOf(at, long), size)));
					const text = await asked(watched, client, at);
					expect(text).toContain("That is not told.");
					expect(wordsOf(client, text)).not.toContain("sec");
					expect(text).not.toContain("secret");
				}
			});
		}

	test("fails closed in the middle of a stream", async () => {
		let asks = 0;
		inspector.answer(() => (++asks < 4 ? Response.json({ action: "pass" }) : new Response("", { status: 503 })));
		for (const client of clients) {
			asks = 0;
			upstream.answer(() => streamOf(cutInto(bytesOf(client[0], long), 17)));
			const text = await asked(watched, client, client[0]);
			expect(text).toContain("guard");
			expect(wordsOf(client, text).length).toBeLessThan(long.length - 24);
		}
	});

	test("sees whole answers too", async () => {
		inspects("secret", () => ({ action: "refuse", message: "That is not told." }));
		upstream.answer(() =>
			Response.json({
				id: "c",
				object: "chat.completion",
				created: 1,
				model: "m",
				choices: [{ index: 0, message: { role: "assistant", content: "a secret" }, finish_reason: "stop" }],
				usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
			}),
		);
		const body = { model: "at-chat-completions", messages: [{ role: "user", content: "x" }] };
		const response = await watched.ask("/v1/chat/completions", body);
		expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("That is not told.")]);
	});
});
