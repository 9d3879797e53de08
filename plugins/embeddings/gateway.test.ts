/** Embeddings through the front door: what upstreams of each dialect are asked, in how many requests, and what is charged. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import {
	type ReceivedRequest,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	first = startUpstream();
	second = startUpstream();
	const at = (name: string, dialect: string, upstream = first) => ({
		name,
		url: upstream.url,
		protocol: "chat-completions",
		key: "upstream-key",
		endpoints: [{ embeddings: dialect }],
	});
	const dialects = ["openai", "gemini", "cohere", "voyage", "jina"];
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"generate-content",
			"embeddings",
			{ use: "prices", with: { models: { "model-*": { input: 1 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [...dialects.map((name) => at(name, name)), at("spare", "gemini", second)],
					models: [
						...dialects.map((name) => ({ name, targets: [{ upstream: name, model: `model-${name}` }] })),
						{
							name: "both",
							targets: [
								{ upstream: "gemini", model: "model-1" },
								{ upstream: "spare", model: "model-2" },
							],
						},
						{ name: "strict", translation: "strict", targets: [{ upstream: "openai", model: "model-openai" }] },
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await first.stop();
	await second.stop();
});
beforeEach(() => {
	first.received.length = 0;
	second.received.length = 0;
});

interface GeminiBatch {
	readonly requests: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[];
}

/** Each text is a number, and its vector that number. */
const asGemini = ({ json }: ReceivedRequest): Response =>
	Response.json({
		embeddings: (json as GeminiBatch).requests.map(({ content }) => ({ values: [Number(content.parts[0]?.text)] })),
		usageMetadata: { promptTokenCount: 7 },
	});

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => String(at + 1));
const vectorsIn = async (response: Response): Promise<readonly number[]> =>
	((await response.json()) as { data: { embedding: number[] }[] }).data.map(({ embedding }) => embedding[0] ?? 0);
const ask = (body: object, key = gateway.key, path = "/v1/embeddings") =>
	gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
const usedBy = async (id: string) => (await gateway.admin("GET", `/admin/tokens/${id}`))["used"];

describe("a batch that is too long for the upstream", () => {
	test("is sent in several requests and answered as one, in order, and charged once for each", async () => {
		first.answer(asGemini);
		const { id, key } = await gateway.token({ quota: 1 });
		const response = await ask({ model: "gemini", input: numbers(250) }, key);
		expect(await vectorsIn(response)).toEqual(numbers(250).map(Number));
		expect(first.received.map(({ json }) => (json as GeminiBatch).requests.length)).toEqual([100, 100, 50]);
		expect(await usedBy(id)).toBe(0.000_021);
	});

	test("fails as a whole when a part fails: what was answered is charged, and nothing is tried elsewhere", async () => {
		first.answer((request) => (first.received.length === 2 ? new Response("{}", { status: 503 }) : asGemini(request)));
		second.answer(asGemini);
		const { id, key } = await gateway.token({ quota: 1 });
		const response = await ask({ model: "both", input: numbers(250) }, key);
		expect(response.status).toBe(503);
		expect([first.received.length, second.received.length]).toEqual([2, 0]);
		expect(await usedBy(id)).toBe(0.000_007);
	});

	/** So many texts of a thousand letters. */
	const long = (count: number): readonly string[] => Array.from({ length: count }, () => "letters. ".repeat(111));
	const silent = ({ json }: ReceivedRequest): Response =>
		Response.json({ embeddings: (json as GeminiBatch).requests.map(() => ({ values: [1] })) });
	const microsOf = async (id: string): Promise<number> => Math.round(Number(await usedBy(id)) * 1e6);

	test("of an upstream that says nothing of tokens, what was answered is charged, not all", async () => {
		first.answer(silent);
		const whole = await gateway.token({ quota: 1 });
		expect((await ask({ model: "gemini", input: long(200) }, whole.key)).status).toBe(200);
		const all = await microsOf(whole.id);
		first.received.length = 0;
		first.answer((request) => (first.received.length === 3 ? new Response("{}", { status: 503 }) : silent(request)));
		const failed = await gateway.token({ quota: 1 });
		expect((await ask({ model: "gemini", input: long(250) }, failed.key)).status).toBe(503);
		expect(await microsOf(failed.id)).toBeWithin(all, all + 5);
		expect(all).toBeGreaterThan(200 * 111);
	});

	test("whose second part breaks off is charged for what was answered, and for that part at most", async () => {
		const broken = (): Response => {
			const body = new ReadableStream<Uint8Array>({
				async start(to) {
					to.enqueue(new TextEncoder().encode('{"embeddings":['));
					await new Promise((resolve) => setTimeout(resolve, 20));
					to.error(new Error("broken off"));
				},
			});
			return new Response(body, { headers: { "content-type": "application/json" } });
		};
		first.answer((request) => (first.received.length === 2 ? broken() : asGemini(request)));
		const { id, key } = await gateway.token({ quota: 1 });
		expect((await ask({ model: "gemini", input: long(250) }, key)).status).toBe(502);
		expect(first.received.length).toBe(2);
		// Seven for the first; of the second a hundred texts, whose letters stand for a token each at most.
		expect(await microsOf(id)).toBeWithin(7 + 100 * 999, 7 + 100 * 1100);
	});

	test("that its client leaves is charged for what was asked by then", async () => {
		const asked = Promise.withResolvers<void>();
		first.answer((request) => {
			if (first.received.length === 1) return asGemini(request);
			asked.resolve();
			return new Promise<Response>(() => undefined);
		});
		const { id, key } = await gateway.token({ quota: 1 });
		const client = new AbortController();
		const headers = { authorization: `Bearer ${key}` };
		const answer = gateway.ask(
			"/v1/embeddings",
			{ model: "gemini", input: long(250) },
			{ headers, signal: client.signal },
		);
		await asked.promise;
		client.abort();
		await answer.catch(() => undefined);
		while (gateway.portico.openCalls() > 0) await new Promise((resolve) => setImmediate(resolve));
		expect(await microsOf(id)).toBeWithin(7 + 100 * 999, 7 + 100 * 1100);
	});

	test("goes to the next upstream when the first part fails already", async () => {
		first.answer(() => new Response("{}", { status: 503 }));
		second.answer(asGemini);
		expect(await vectorsIn(await ask({ model: "both", input: numbers(150) }))).toEqual(numbers(150).map(Number));
		expect([first.received.length, second.received.length]).toEqual([1, 2]);
	});
});

describe("the same dialect on both sides", () => {
	test("passes the bytes both ways but for the model's name, base64 and unknown fields and all", async () => {
		const answer =
			'{"object":"list", "data":[{"embedding":"AACAPw==","index":0}],"model":"model-openai","usage":{"prompt_tokens":3,"total_tokens":3}}';
		first.answer(() => new Response(answer, { headers: { "content-type": "application/json" } }));
		const body = '{"model":"openai", "input":[[1,2]],"encoding_format":"base64","new_field":1.0}';
		const response = await gateway.ask("/v1/embeddings", body);
		expect(await response.text()).toBe(answer.replace("model-openai", "openai"));
		expect(first.received.at(-1)).toMatchObject({
			path: "/embeddings",
			text: body.replace('"openai"', '"model-openai"'),
		});
	});

	test("of Gemini is asked where Vertex AI's clients ask too", async () => {
		first.answer(() => Response.json({ embedding: { values: [1, 2] } }));
		const client = new GoogleGenAI({ vertexai: true, apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
		const { embeddings } = await client.models.embedContent({ model: "gemini", contents: "x" });
		expect(embeddings?.[0]?.values).toEqual([1, 2]);
		expect(first.received.at(-1)?.path).toBe("/models/model-gemini:embedContent");
	});

	test("of Gemini keeps the verb, and names the target's model in the body too", async () => {
		first.answer(() => Response.json({ embedding: { values: [1] } }));
		const one = { model: "models/gemini", content: { parts: [{ text: "x" }] } };
		expect(await (await ask(one, gateway.key, "/v1beta/models/gemini:embedContent")).json()).toEqual({
			embedding: { values: [1] },
		});
		expect(first.received.at(-1)).toMatchObject({
			path: "/models/model-gemini:embedContent",
			json: { ...one, model: "models/model-gemini" },
		});
		await ask({ requests: [one, { content: one.content }] }, gateway.key, "/v1beta/models/gemini%3AbatchEmbedContents");
		expect(first.received.at(-1)).toMatchObject({
			path: "/models/model-gemini:batchEmbedContents",
			json: { requests: [{ model: "models/model-gemini" }, { content: one.content }] },
		});
	});
});

describe("another dialect", () => {
	const answer = (body: object) => first.answer(() => Response.json(body));
	const sent = () => first.received.at(-1);

	test("is asked in its own words, and base64 is made here", async () => {
		answer({ embeddings: { float: [[1, -2]] }, meta: { billed_units: { input_tokens: 5 } } });
		const response = await ask({ model: "cohere", input: "x", dimensions: 2, encoding_format: "base64", user: "u" });
		expect(await response.json()).toEqual({
			object: "list",
			data: [{ object: "embedding", index: 0, embedding: "AACAPwAAAMA=" }],
			model: "cohere",
			usage: { prompt_tokens: 5, total_tokens: 5 },
		});
		expect(response.headers.get("x-portico-dropped")).toBe("user");
		expect(sent()).toMatchObject({
			path: "/embed",
			json: {
				model: "model-cohere",
				texts: ["x"],
				input_type: "search_document",
				embedding_types: ["float"],
				output_dimension: 2,
			},
		});
		expect(sent()?.headers.get("authorization")).toBe("Bearer upstream-key");
	});

	test.each([
		["voyage", { input_type: "query", output_dimension: 2 }],
		["jina", { task: "retrieval.query", dimensions: 2 }],
		["cohere", { input_type: "search_query", output_dimension: 2 }],
	])("gets the purpose and the dimensions of a Gemini request: %s", async (model, fields) => {
		answer(model === "cohere" ? { embeddings: { float: [[1, 2]] } } : { data: [{ embedding: [1, 2] }] });
		const body = { content: { parts: [{ text: "x" }] }, taskType: "RETRIEVAL_QUERY", outputDimensionality: 2 };
		const response = await ask(body, gateway.key, `/v1beta/models/${model}:embedContent`);
		expect(await response.json()).toMatchObject({
			embedding: { values: [1, 2] },
			usageMetadata: { promptTokenCount: 1 },
		});
		expect(sent()?.json).toMatchObject(fields);
		expect(response.headers.get("x-portico-dropped")).toBeNull();
	});

	test("that takes a name of Google's is asked with Google's key", async () => {
		first.answer(asGemini);
		const body = { model: "gemini", texts: ["4"], input_type: "search_document", output_dimension: 1 };
		const response = await ask(body, gateway.key, "/v2/embed");
		expect(await response.json()).toMatchObject({
			embeddings: { float: [[1]] },
			meta: { billed_units: { input_tokens: 7 } },
		});
		expect(sent()).toMatchObject({
			path: "/models/model-gemini:batchEmbedContents",
			json: { requests: [{ model: "models/model-gemini", taskType: "RETRIEVAL_DOCUMENT", outputDimensionality: 1 }] },
		});
		expect(sent()?.headers.get("x-goog-api-key")).toBe("upstream-key");
	});

	test("gets vectors of length 1 where it asks for fewer dimensions, and otherwise what the model made", async () => {
		first.answer(() => Response.json({ embeddings: [{ values: [3, 4] }, { values: [0, 0] }] }));
		const input = ["a", "b"];
		const vectorsOf = async (body: object, path?: string) => (await ask(body, gateway.key, path)).json();
		const cut = { model: "gemini", input, dimensions: 2 };
		expect(await vectorsOf(cut)).toMatchObject({ data: [{ embedding: [0.6, 0.8] }, { embedding: [0, 0] }] });
		const bytes = Buffer.from(Float32Array.of(0.6, 0.8).buffer).toString("base64");
		expect(await vectorsOf({ ...cut, encoding_format: "base64" })).toMatchObject({ data: [{ embedding: bytes }, {}] });
		expect(await vectorsOf({ model: "gemini", input })).toMatchObject({ data: [{ embedding: [3, 4] }, {}] });
		// Google's own clients get Google's own bytes.
		const requests = input.map((text) => ({ content: { parts: [{ text }] }, outputDimensionality: 2 }));
		const path = "/v1beta/models/gemini:batchEmbedContents";
		expect(await vectorsOf({ requests }, path)).toEqual({ embeddings: [{ values: [3, 4] }, { values: [0, 0] }] });
	});

	test("refuses what it cannot carry, in words", async () => {
		const refused = async (path: string, body: object) => {
			const response = await ask(body, gateway.key, path);
			return [response.status, JSON.stringify(await response.json())] as const;
		};
		expect(await refused("/v1/embeddings", { model: "cohere", input: [1, 2] })).toEqual([
			400,
			expect.stringContaining("token ids"),
		]);
		for (const fields of [{ images: ["data:image/png;base64,aGk="] }, { texts: ["x"], embedding_types: ["int8"] }])
			expect(await refused("/v1/embed", { model: "cohere", ...fields })).toEqual([
				400,
				expect.stringContaining("POST /v2/embed"),
			]);
		expect(await refused("/v2/embed", { model: "openai", texts: ["x"], embedding_types: ["int8"] })).toEqual([
			400,
			expect.stringContaining("float"),
		]);
		expect(await refused("/v2/embed", { model: "openai", images: ["data:image/png;base64,AA=="] })).toEqual([
			400,
			expect.stringContaining("texts only"),
		]);
		const fileData = { fileUri: "files/1" };
		for (const file of [
			{ content: { parts: [{ fileData }] } },
			{ content: { parts: [{ text: "x", FileData: fileData }] } },
			{ content: { parts: [{ text: "x" }], Parts: [{ file_data: fileData }] } },
		])
			expect(await refused("/v1beta/models/gemini:embedContent", file)).toEqual([
				400,
				expect.stringContaining("account"),
			]);
		expect(await refused("/v1/embeddings", { model: "strict", input: "x", input_type: "query" })).toEqual([
			400,
			expect.stringContaining("input_type"),
		]);
		expect(first.received.length).toBe(0);
	});

	test("that gives fewer vectors than inputs has failed", async () => {
		answer({ data: [{ embedding: [1], index: 0 }] });
		expect((await ask({ model: "voyage", input: ["a", "b"] })).status).toBe(502);
	});
});

test("an answer that says nothing of tokens is charged by an estimate", async () => {
	first.answer(() => Response.json({ data: [{ embedding: [1], index: 0 }], model: "m" }));
	const { id, key } = await gateway.token({ quota: 1 });
	expect((await ask({ model: "openai", input: "four letters make a token" }, key)).status).toBe(200);
	expect(await usedBy(id)).toBe(0.000_007); // 25 letters
});

test("a refusal is told to Voyage's and Jina's clients too, who read `detail`", async () => {
	const refused = await ask({ model: "nobody", input: "a", input_type: "query" });
	const { detail, error } = (await refused.json()) as { detail: string; error: { message: string } };
	expect([refused.status, detail]).toEqual([404, error.message]);
	expect(detail).toContain("nobody");
});

test("so is what is no text: ids of tokens by their number, pictures as a token count has them", async () => {
	first.answer(() => Response.json({ data: [{ embedding: [1], index: 0 }], model: "m" }));
	const ids = await gateway.token({ quota: 1 });
	expect((await ask({ model: "openai", input: [[9, 8, 7, 6, 5]] }, ids.key)).status).toBe(200);
	expect(await usedBy(ids.id)).toBe(0.000_005);
	const pictures = await gateway.token({ quota: 1 });
	const picture = { image: `data:image/png;base64,${"A".repeat(400)}` };
	expect((await ask({ model: "jina", input: [picture] }, pictures.key)).status).toBe(200);
	expect(await usedBy(pictures.id)).toBe(0.000_8);
	first.answer(() => Response.json({ embedding: { values: [1] } }));
	const part = { inlineData: { mimeType: "image/png", data: "AAAA" } };
	const google = await gateway.ask(
		"/v1beta/models/gemini:embedContent",
		{ content: { parts: [{ text: "what" }, part] } },
		{ headers: { authorization: `Bearer ${pictures.key}` } },
	);
	expect(google.status).toBe(200);
	expect(await usedBy(pictures.id)).toBe(0.001_601);
	first.answer(() =>
		Response.json({ id: "1", embeddings: { float: [[1]] }, texts: [], meta: { billed_units: { images: 1 } } }),
	);
	const shown = await gateway.ask(
		"/v2/embed",
		{ model: "cohere", input_type: "image", embedding_types: ["float"], images: [picture.image] },
		{ headers: { authorization: `Bearer ${pictures.key}` } },
	);
	expect(shown.status).toBe(200);
	expect(await usedBy(pictures.id)).toBe(0.002_401);
});
