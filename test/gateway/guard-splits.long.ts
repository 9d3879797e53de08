/** Answers under guards, in streams cut at any byte: what is put back, what is refused, and in whose words, from each protocol to each. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asList, asRecord, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { requestOf, streamed } from "../support/upstream-answers.ts";

const card = "4111111111111111";
/** Each of its characters is an event of its own; some are more bytes than one. */
const said = "Größe 🂡: [card_1]… and [card_1]🂡 [card_";
const heard = said.replaceAll("[card_1]", card);

let upstream: ScriptedUpstream;
let inspector: ScriptedUpstream;
let gateway: TestGateway;
let watched: TestGateway;

const base: Partial<Record<ProtocolName, string>> = { messages: "", "generate-content": "/v1beta" };

/** Where the events of each protocol have the answer's words. */
const wordsIn: Readonly<Record<ProtocolName, (event: Readonly<Record<string, unknown>>) => unknown>> = {
	"chat-completions": ({ choices }) => asRecord(asRecord(asList(choices)[0])["delta"])["content"],
	messages: ({ type, delta }) => (type === "content_block_delta" ? asRecord(delta)["text"] : ""),
	responses: ({ type, delta }) => (type === "response.output_text.delta" ? delta : ""),
	"generate-content": ({ candidates }) =>
		asList(asRecord(asRecord(asList(candidates)[0])["content"])["parts"])
			.map((part) => asRecord(part)["text"])
			.join(""),
};

beforeAll(async () => {
	upstream = startUpstream();
	inspector = startUpstream();
	const world = (guard: object) =>
		startGateway({
			plugins: [
				"tokens",
				...protocolNames,
				"ledger",
				guard as { use: string },
				{
					use: "router",
					with: {
						upstreams: protocolNames.map((name) => ({
							name,
							protocol: name,
							url: upstream.url + (base[name] ?? "/v1"),
						})),
						models: protocolNames.map((name) => ({ name: `at-${name}`, targets: [{ upstream: name, model: "m" }] })),
					},
				},
			],
		});
	gateway = await world({ use: "guard-patterns", with: { patterns: [{ name: "card", pattern: "4[0-9]{15}" }] } });
	watched = await world({
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

const bytesOf = (name: ProtocolName, text: string): Uint8Array =>
	new TextEncoder().encode(streamed(name, [...text], { input: 5, output: 9 }));

const cutInto = (bytes: Uint8Array, size: number): Uint8Array[] =>
	Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
		bytes.subarray(index * size, (index + 1) * size),
	);

const eventsOf = (text: string): readonly Readonly<Record<string, unknown>>[] =>
	text
		.split("\n")
		.filter((line) => line.startsWith("data: {"))
		.map((line) => asRecord(parseJson(line.slice(6))));

const asked = async (world: TestGateway, client: ProtocolName, at: ProtocolName): Promise<string> => {
	const { path, body } = requestOf(client, { model: `at-${at}`, prompt: card, stream: true, limit: 99 });
	return await (await world.ask(path, body)).text();
};

const wordsOf = (client: ProtocolName, text: string): string =>
	eventsOf(text)
		.map(wordsIn[client])
		.filter((words) => typeof words === "string")
		.join("");

describe("the client's own words are put back, wherever the stream is cut:", () => {
	for (const client of protocolNames)
		for (const at of protocolNames)
			test(`${client} at an upstream of ${at}`, async () => {
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
		for (const client of protocolNames) {
			const bytes = bytesOf(client, "[card_1]é");
			const text = new TextDecoder().decode(bytes);
			const [first, last] = [text.indexOf('"["') - 40, text.indexOf('"a"') + 40];
			expect([first > 0, last > first]).toEqual([true, true]);
			for (let cut = first; cut < last; cut++) {
				upstream.answer(() => streamOf([bytes.subarray(0, cut), bytes.subarray(cut)]));
				const words = wordsOf(client, await asked(gateway, client, client));
				if (words !== `${card}é`) expect([client, cut, words]).toEqual([client, cut, `${card}é`]);
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

	for (const client of protocolNames)
		for (const at of protocolNames) {
			test(`replaces in ${client} at ${at}, though the words come letter by letter`, async () => {
				inspects("secret", (text) => ({ action: "replace", texts: [text.replaceAll("secret", "thing")] }));
				upstream.answer(() => streamOf(cutInto(bytesOf(at, long), 17)));
				const text = await asked(watched, client, at);
				expect(wordsOf(client, text)).toBe(long.replace("secret", "thing"));
				expect(text).not.toContain("secret");
			});

			test(`refuses in ${client} at ${at}, and not one letter of it goes out`, async () => {
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
		for (const client of protocolNames) {
			asks = 0;
			upstream.answer(() => streamOf(cutInto(bytesOf(client, long), 17)));
			const text = await asked(watched, client, client);
			expect(text).toContain("guard");
			expect(wordsOf(client, text).length).toBeLessThan(long.length - 24);
		}
	});

	test("sees whole answers too", async () => {
		inspects("secret", () => ({ action: "refuse", message: "That is not told." }));
		upstream.answer(() => Response.json(chatAnswer("a secret")));
		const body = { model: "at-chat-completions", messages: [{ role: "user", content: "x" }] };
		const response = await watched.ask("/v1/chat/completions", body);
		expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("That is not told.")]);
	});
});
