/** Whatever an upstream breaks, a client is told in its own protocol, and never that all is well. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { readAnswer, readStream } from "../matrix/clients.ts";
import { isRaised } from "../matrix/told.ts";
import { streamFaults } from "../support/grammar/check.ts";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { answersOf, type Counts, said } from "./broken-answers.ts";

const counts: Counts = { input: 7, output: 4 };

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			...protocolNames,
			"ledger",
			{
				use: "router",
				with: {
					upstreams: protocolNames.map((name) => ({ name, protocol: name, url: upstream.url })),
					models: protocolNames.map((name) => ({ name: `via-${name}`, targets: [{ upstream: name }] })),
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const words = "Hello";

const requests: Readonly<
	Record<ProtocolName, (model: string, stream: boolean) => readonly [path: string, body: object]>
> = {
	"chat-completions": (model, stream) => [
		"/v1/chat/completions",
		{
			model,
			messages: [{ role: "user", content: words }],
			stream,
			...(stream && { stream_options: { include_usage: true } }),
		},
	],
	responses: (model, stream) => ["/v1/responses", { model, input: words, stream }],
	messages: (model, stream) => [
		"/v1/messages",
		{ model, max_tokens: 100, messages: [{ role: "user", content: words }], stream },
	],
	"generate-content": (model, stream) => [
		`/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
		{ contents: [{ role: "user", parts: [{ text: words }] }] },
	],
};

interface Answered {
	readonly status: number;
	readonly type: string;
	readonly text: string;
}

const ask = async (client: ProtocolName, via: ProtocolName, stream: boolean): Promise<Answered> => {
	const [path, body] = requests[client](`via-${via}`, stream);
	const response = await gateway.ask(path, body);
	return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() };
};

/** The protocol's own announcement that all is well. */
const announcedEnd: Readonly<Record<ProtocolName, RegExp>> = {
	"chat-completions": /"finish_reason":"|data: \[DONE\]/,
	responses: /"type":"response\.(completed|incomplete)"/,
	messages: /"type":"message_(stop|delta)"/,
	"generate-content": /"finishReason"/,
};

/** Whether the protocol's official client takes the stream for a failure; `told`: one that it was told of. */
const raises = async (client: ProtocolName, text: string, told = false): Promise<boolean> => {
	const read = await readStream(client, text);
	if (isRaised(read)) return read.told || !told;
	return read.candidates.some(({ ended }) => ended === "failed");
};

/**
 * The failure is told as the protocol does, before or within the stream, and its client raises it. Where bytes pass
 * through (`same`), what the upstream wrote of its failure is left as it is: it is enough that the client raises.
 */
const expectFailure = async (client: ProtocolName, { status, type, text }: Answered, same = false): Promise<void> => {
	if (status !== 200) {
		expect(status).toBeGreaterThanOrEqual(500);
		expect(type).toStartWith("application/json");
		const read = await readAnswer(client, parseJson(text), status);
		expect(isRaised(read) && read.told).toBe(true);
		return;
	}
	expect(type).toStartWith("text/event-stream");
	if (same) return expect(await raises(client, text)).toBe(true);
	expect(text).not.toMatch(announcedEnd[client]);
	expect(streamFaults(client, text)).toEqual([]);
	expect(await raises(client, text, true)).toBe(true);
};

/** The whole answer came through, well told. */
const expectAnswer = async (
	client: ProtocolName,
	{ status, text }: Answered,
	{ stream, same = false, spoken = said }: { stream: boolean; same?: boolean; spoken?: string },
): Promise<void> => {
	expect(status).toBe(200);
	if (stream && !same) expect(streamFaults(client, text)).toEqual([]);
	const read = stream ? await readStream(client, text) : await readAnswer(client, parseJson(text));
	if (isRaised(read)) throw new Error(`the client raised ${read.raised}`);
	expect(read.candidates.map((candidate) => candidate.text.replace(/\.$/, ""))).toEqual([spoken]);
	expect(read.candidates.map(({ ended }) => ended)).toEqual(["stop"]);
	if (same) return;
	expect(read.usage?.input ?? 0).toBeGreaterThanOrEqual(0);
	expect(read.usage?.output ?? 0).toBeGreaterThanOrEqual(0);
};

const lastRow = async () => {
	await gateway.admin("GET", "/admin/usage");
	const { sql } = await import("drizzle-orm");
	return asRecord((await gateway.store.all(sql`SELECT * FROM ledger ORDER BY rowid DESC LIMIT 1`))[0]);
};

const html = "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>";
const htmlPage = (type: string) => new Response(html, { headers: { "content-type": type } });
const huge = "a".repeat(10 * 1024 * 1024);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe.each([...protocolNames])("a client of %s", (client) => {
	describe.each([...protocolNames])("with a model of %s", (via) => {
		const same = client === via;
		const answers = answersOf[via];
		const whole = answers.stream(counts, said);
		const pieces = (...texts: readonly (readonly (string | Uint8Array)[])[]) =>
			upstream.answer(() => streamOf(texts.flat()));

		test.each([true, false])("HTML with a 200 is a failure (stream: %p)", async (stream) => {
			for (const type of ["text/html", "text/event-stream", "application/json", ""]) {
				upstream.answer(() => htmlPage(type));
				await expectFailure(client, await ask(client, via, stream));
			}
		});

		test("JSON for a stream is the stream it would have been, or the failure it tells", async () => {
			upstream.answer(() => Response.json(answers.whole(counts)));
			await expectAnswer(client, await ask(client, via, true), { stream: true });
			for (const body of [answers.failure, {}, [], "no", null]) {
				upstream.answer(() => Response.json(body));
				await expectFailure(client, await ask(client, via, true));
			}
		});

		test("a failure or no answer at all within a 200 is a failure", async () => {
			for (const body of [answers.failure, {}, [], "no", null]) {
				upstream.answer(() => Response.json(body));
				await expectFailure(client, await ask(client, via, false));
			}
			upstream.answer(() => new Response("", { headers: { "content-type": "application/json" } }));
			await expectFailure(client, await ask(client, via, false));
		});

		test("an end that was not announced is a failure, wherever it comes", async () => {
			for (let most = 0; most <= whole.before.length; most++) {
				pieces(whole.before.slice(0, most));
				await expectFailure(client, await ask(client, via, true));
				pieces(whole.before.slice(0, most));
				await expectFailure(client, await ask(client, via, false));
			}
			// in the middle of an event
			pieces(whole.before, [whole.ending.join("").slice(0, 12)]);
			await expectFailure(client, await ask(client, via, true), same);
		});

		test("an end that was cut off amid its event is no end", async () => {
			const { before, ending } = whole;
			for (const [at, event] of ending.entries())
				for (const length of [event.length >> 1, event.length - 4, event.length - 3]) {
					pieces(before, ending.slice(0, at), [event.slice(0, length)]);
					const answered = await ask(client, via, true);
					// What passes through after an announced end need not be all there.
					const faults = streamFaults(client, answered.text).filter((fault) => !same || !fault.startsWith("end:"));
					expect(faults).toEqual([]);
					if (!announcedEnd[client].test(answered.text)) await expectFailure(client, answered);
				}
		});

		test("an error event is a failure, first and in the middle", async () => {
			for (const before of [[], whole.before]) {
				pieces(before, [answers.error]);
				await expectFailure(client, await ask(client, via, true), same);
				pieces(before, [answers.error], whole.ending);
				await expectFailure(client, await ask(client, via, true), same);
				pieces(before, [answers.error]);
				await expectFailure(client, await ask(client, via, false));
			}
		});

		test("an event that is no JSON is a failure", async () => {
			const [name = ""] = (whole.before.at(-1) ?? "").split("data: ");
			pieces(whole.before, [`${name}data: {no\n\n`], whole.ending);
			await expectFailure(client, await ask(client, via, true), same);
		});

		test("what follows the end changes nothing", async () => {
			pieces(whole.before, whole.ending, whole.ending.slice(-1));
			await expectAnswer(client, await ask(client, via, true), { stream: true, same });
			pieces(whole.before, whole.ending, whole.ending);
			await expectAnswer(client, await ask(client, via, true), { stream: true, same });
			pieces(whole.before, whole.ending, whole.ending.slice(-1));
			await expectAnswer(client, await ask(client, via, false), { stream: false });
		});

		test("an event of 10 MB goes through", async () => {
			const { before, ending } = answers.stream(counts, huge);
			pieces(before, ending);
			await expectAnswer(client, await ask(client, via, true), { stream: true, spoken: huge });
		});

		test("bytes that are no UTF-8 break neither the stream nor its end", async () => {
			const [head = "", tail = ""] = whole.before.join("").split(said);
			pieces([head], [new Uint8Array([...bytes("Good"), 0xff, 0xc3, ...bytes("day")])], [tail], whole.ending);
			const answered = await ask(client, via, true);
			expect(answered.status).toBe(200);
			if (!same) expect(streamFaults(client, answered.text)).toEqual([]);
			const read = await readStream(client, answered.text);
			expect(isRaised(read)).toBe(false);
			pieces([new Uint8Array([0xff, 0xfe, 0x00, 0x80])]);
			await expectFailure(client, await ask(client, via, true));
		});

		test("usage that is missing or negative is estimated or nothing, never less", async () => {
			for (const bad of [undefined, { input: -5, output: -3 }]) {
				const { before, ending } = answers.stream(bad, said);
				pieces(before, ending);
				const streamed = await ask(client, via, true);
				// bytes that pass through are the upstream's own
				if (same) expect(streamed.text).toBe([...before, ...ending].join(""));
				else await expectAnswer(client, streamed, { stream: true });
				expect(Number((await lastRow())["input_tokens"])).toBeGreaterThanOrEqual(0);
				upstream.answer(() => Response.json(answers.whole(bad)));
				const told = await ask(client, via, false);
				if (same) expect(parseJson(told.text)).toEqual(answers.whole(bad));
				else await expectAnswer(client, told, { stream: false });
				expect(Number((await lastRow())["output_tokens"])).toBeGreaterThanOrEqual(0);
			}
		});
	});
});
