/**
 * An upstream that counts what it would bill, whatever it says of it: at every endpoint, as many at once as there are, the
 * operator is never left with a bill that no token was charged for, and no token is charged more than it has.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
	type ReceivedRequest,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";

/** Micro-dollars. */
let billed = 0;
let says: "all" | "zeros" | "nothing" | "half an answer" = "all";
/** The beginning of a stream that has no end. */
let streamed: string | undefined;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

const price = { input: 1, output: 10, perMinuteAudioIn: 0.06, perMillionCharacters: 15, perThousandSearches: 2 };
const words = "Twelve words of some text that any tokenizer makes some tokens of. ".repeat(20);
const sound = wav(30);

/** What one answer costs, what it is, and the usage it tells. */
const bills: Readonly<Record<string, (request: ReceivedRequest) => readonly [number, object, object]>> = {
	"/v1/embeddings": () => {
		const tokens = Math.ceil(words.length / 5);
		const data = [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }];
		return [tokens, { object: "list", model: "m", data }, { usage: { prompt_tokens: tokens, total_tokens: tokens } }];
	},
	"/v1/rerank": () => [
		2000,
		{ results: [{ index: 0, relevance_score: 0.5 }] },
		{ meta: { billed_units: { search_units: 1 } } },
	],
	"/v1/completions": ({ json }) => {
		const written = (json as { max_tokens: number }).max_tokens;
		const tokens = Math.ceil(words.length / 5);
		const choices = [{ index: 0, text: "word ".repeat(written), finish_reason: "length", logprobs: null }];
		const usage = { prompt_tokens: tokens, completion_tokens: written, total_tokens: tokens + written };
		return [tokens + 10 * written, { id: "c", object: "text_completion", created: 1, model: "m", choices }, { usage }];
	},
	"/v1/audio/transcriptions": () => [30_000, { text: "Hello" }, { usage: { type: "duration", seconds: 30 } }],
	"/v1/responses/compact": () => {
		const tokens = Math.ceil(words.length / 5);
		const output = [{ id: "cmp_1", type: "compaction", encrypted_content: `gAAAA${"x".repeat(400)}` }];
		const usage = { input_tokens: tokens, output_tokens: 90, total_tokens: tokens + 90 };
		// Of what breaks off at once nobody can have written much: it is charged by the time that it took.
		return [
			tokens + (says === "half an answer" ? 0 : 900),
			{ id: "r", object: "response.compaction", created_at: 1, output },
			{ usage },
		];
	},
	"/v1/moderations": () => [0, { id: "m", model: "m", results: [{ flagged: false }] }, {}],
};

/** A body that stops before its end, with the connection. */
const broken = (text: string): Response => {
	let sent = false;
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			// What was sent before is on the wire by then: a connection that breaks without an answer may be tried again.
			if (sent) await new Promise((resolve) => setTimeout(resolve, 20));
			if (sent) return controller.error(new Error("broken off"));
			sent = true;
			controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
		},
	});
	return new Response(body, { headers: { "content-type": "application/json" } });
};

beforeAll(async () => {
	upstream = startUpstream((request) => {
		const { path } = request;
		if (streamed !== undefined) {
			const body = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(streamed)) });
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		}
		if (path === "/v1/audio/speech") {
			billed += 15 * (request.json as { input: string }).input.length;
			if (says === "half an answer") return broken("sound".repeat(100));
			return new Response(new Uint8Array(500), { headers: { "content-type": "audio/mpeg" } });
		}
		const bill = bills[path];
		if (!bill) return new Response("", { status: 404 });
		const [cost, answer, usage] = bill(request);
		billed += cost;
		const zeros = (_name: string, value: unknown) => (typeof value === "number" ? 0 : value);
		const tells = { all: usage, zeros: JSON.parse(JSON.stringify(usage, zeros)) as object };
		const text = JSON.stringify(says === "all" || says === "zeros" ? { ...answer, ...tells[says] } : answer);
		return says === "half an answer"
			? broken(text)
			: new Response(text, { headers: { "content-type": "application/json" } });
	});
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"responses",
			"embeddings",
			"rerank",
			"moderations",
			"completions",
			"audio",
			{ use: "prices", with: { models: { "*": price } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [
						{
							name: "main",
							protocol: ["chat-completions", "responses"],
							url: `${upstream.url}/v1`,
							key: "up-key",
							endpoints: ["rerank"],
						},
					],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
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
	billed = 0;
});

const form = (): FormData => {
	const made = new FormData();
	made.append("model", "m");
	made.append("file", new Blob([new Uint8Array(sound)], { type: "audio/wav" }), "a.wav");
	return made;
};
const bodies: Readonly<Record<string, object>> = {
	"/v1/embeddings": { model: "m", input: words, encoding_format: "float" },
	"/v1/rerank": { model: "m", query: "what", documents: [words, "other"] },
	"/v1/completions": { model: "m", prompt: words, max_tokens: 40 },
	"/v1/audio/speech": { model: "m", voice: "alloy", input: words, response_format: "mp3" },
	"/v1/responses/compact": { model: "m", input: words },
	"/v1/moderations": { model: "m", input: words },
};
const ask = (path: string, key: string): Promise<Response> => {
	const body = bodies[path];
	const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
	return fetch(gateway.url + path, { method: "POST", headers, body: body ? JSON.stringify(body) : form() });
};
/** Read to its end, whatever end that is. */
const finished = (answer: Response): Promise<unknown> => answer.arrayBuffer().catch(() => undefined);
const stateOf = async (id: string) =>
	(await gateway.admin("GET", `/admin/tokens/${id}`)) as { readonly used: number; readonly reserved?: number };
const settled = async (id: string): Promise<number> => {
	for (let tries = 0; tries < 400; tries++) {
		const { used, reserved = 0 } = await stateOf(id);
		if (reserved === 0) return used;
		await new Promise((resolve) => setImmediate(resolve));
	}
	throw new Error("something is held for ever");
};

describe("what is billed by more than is seen at first", () => {
	const refused = async (path: string, body: object | FormData, quota = 0.003): Promise<number> => {
		const { key } = await gateway.token({ quota });
		const isForm = body instanceof FormData;
		const headers = { authorization: `Bearer ${key}`, ...(!isForm && { "content-type": "application/json" }) };
		const answer = await fetch(gateway.url + path, {
			method: "POST",
			headers,
			body: isForm ? body : JSON.stringify(body),
		});
		await answer.text();
		expect(billed).toBe(0);
		return answer.status;
	};
	test("rerank: fields beside the text, and pictures", async () => {
		const long = { text: "a", body: words.repeat(100) };
		const documents = [long, ...Array.from({ length: 99 }, () => "b")];
		expect(await refused("/v1/rerank", { model: "m", query: "what", documents, rank_fields: ["body"] })).toBe(429);
		const picture = { image: "https://example.org/a.png" };
		expect(await refused("/v1/rerank", { model: "m", query: "what", documents: [picture] })).toBe(429);
	});
	test.each(["url", "file_url", "file_id", "Audio_URL", "cloud_storage_url"])(
		"a sound that is elsewhere: %s",
		async (name) => {
			const elsewhere = form();
			elsewhere.append(name, "https://example.org/hours.mp3");
			expect(await refused("/v1/audio/transcriptions", elsewhere, 1)).toBe(400);
		},
	);
	test.each([
		["/v1/audio/speech", { model: "m", voice: "alloy", input: "a" }, { INPUT: words, Instructions: words }],
		["/v1/rerank", { model: "m", query: "what", documents: ["a"] }, { Documents: [words], QUERY: words, topN: 9 }],
	])("%s: a second spelling of what is counted, which some upstreams read", async (path, body, more) => {
		says = "all";
		upstream.received.length = 0;
		const headers = { authorization: `Bearer ${gateway.key}` };
		const answer = await gateway.ask(path, { ...body, ...more }, { headers });
		await answer.arrayBuffer();
		expect(answer.headers.get("x-portico-dropped")?.split(",").sort()).toEqual(Object.keys(more).sort());
		expect(upstream.received.map(({ json }) => json)).toEqual([body]);
	});
	test("completions: a stream that counts along, and is left unread", async () => {
		const { key, id } = await gateway.token({ quota: 1 });
		const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
		const choices = [{ index: 0, text: "a", finish_reason: null }];
		streamed = `data: ${JSON.stringify({ id: "c", object: "text_completion", created: 1, model: "m", choices, usage })}\n\n`;
		const abort = new AbortController();
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const asked = {
			model: "m",
			prompt: "a",
			max_tokens: 4_000,
			stream: true,
			stream_options: { continuous_usage_stats: true },
		};
		const body = JSON.stringify(asked);
		const answer = await fetch(`${gateway.url}/v1/completions`, {
			method: "POST",
			headers,
			body,
			signal: abort.signal,
		});
		await answer.body?.getReader().read();
		await new Promise((resolve) => setTimeout(resolve, 200));
		abort.abort();
		streamed = undefined;
		// 500 tokens a second may have been made meanwhile.
		expect(Math.round((await settled(id)) * 1e6)).toBeGreaterThanOrEqual(10 + 100 * 10);
	});
});

describe.each([...Object.keys(bodies), "/v1/audio/transcriptions"])("%s", (path) => {
	test.each(["all", "zeros", "nothing", "half an answer"] as const)("tells %s", async (told) => {
		says = told;
		const { key, id } = await gateway.token({ quota: 0.1 });
		const answers = await Promise.all(Array.from({ length: 50 }, () => ask(path, key)));
		await Promise.all(answers.map(finished));
		const used = Math.round((await settled(id)) * 1e6);
		expect(used).toBeGreaterThanOrEqual(billed);
		expect(used).toBeLessThanOrEqual(100_000);
		const statuses = new Set(answers.map(({ status }) => status));
		for (const status of statuses) expect([200, 402, 429, 502]).toContain(status);
		if (told === "all" && billed > 0) expect(used).toBe(billed);
	});
});
