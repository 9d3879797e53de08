/** Embeddings by the official clients of four vendors and two frameworks, each against a model of every dialect. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCohere } from "@ai-sdk/cohere";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { GoogleGenerativeAIEmbeddings } from "@langchain/google-genai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embedMany } from "ai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import { GoogleGenAI as GoogleGenAIFirst } from "google-genai-1";
import OpenAI from "openai";
import OpenAISix from "openai-6";
import { VoyageAIClient } from "voyageai";
import { startGateway, type TestGateway } from "#core/testing";

(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const dialects = ["openai", "gemini", "cohere", "voyage", "jina"] as const;
const base = { openai: "/v1", gemini: "/v1beta", cohere: "/v2", voyage: "/v1", jina: "/v1" } as const;
const models = ["demo", ...dialects];

let far: TestGateway;
let near: TestGateway;

beforeAll(async () => {
	const demo = { use: "demo", with: { wordMs: 0 } };
	const toDemo = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const speaks = ["chat-completions", "generate-content", "embeddings"];
	far = await startGateway({ plugins: ["tokens", ...speaks, demo, toDemo] });
	near = await startGateway({
		plugins: [
			"tokens",
			...speaks,
			demo,
			{
				use: "router",
				with: {
					upstreams: dialects.map((dialect) => ({
						name: dialect,
						protocol: "chat-completions",
						url: far.url + base[dialect],
						key: far.key,
						endpoints: [{ embeddings: dialect }],
					})),
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						...dialects.map((name) => ({ name, targets: [{ upstream: name, model: "demo" }] })),
					],
				},
			},
		],
	});
});
afterAll(async () => {
	await near.stop();
	await far.stop();
});

const texts = ["good morning", "good night", "a very different thing"];
const dimensions = 8;

type Embed = (model: string) => Promise<readonly (readonly number[] | undefined)[]>;

const openAi: Embed = async (model) => {
	const client = new OpenAI({ baseURL: `${near.url}/v1`, apiKey: near.key, maxRetries: 0 });
	const { data, usage } = await client.embeddings.create({ model, input: texts, dimensions });
	expect(usage.total_tokens).toBeGreaterThan(0);
	return data.map(({ embedding }) => embedding);
};

const gemini =
	(Client: typeof GoogleGenAI | typeof GoogleGenAIFirst): Embed =>
	async (model) => {
		const client = new Client({ apiKey: near.key, httpOptions: { baseUrl: near.url } });
		const config = { outputDimensionality: dimensions };
		const { embeddings = [] } = await client.models.embedContent({ model, contents: texts, config });
		return embeddings.map(({ values }) => values);
	};

const clients: Readonly<Record<string, Embed>> = {
	"openai 7": openAi,
	"openai 6, numbers": async (model) => {
		const client = new OpenAISix({ baseURL: `${near.url}/v1`, apiKey: near.key, maxRetries: 0 });
		const { data } = await client.embeddings.create({ model, input: texts, dimensions, encoding_format: "float" });
		return data.map(({ embedding }) => embedding);
	},
	"genai 3": gemini(GoogleGenAI),
	"genai 1": gemini(GoogleGenAIFirst),
	"cohere, version 2": async (model) => {
		const client = new CohereClientV2({ environment: near.url, token: near.key });
		const { embeddings } = await client.embed({
			model,
			texts,
			inputType: "search_document",
			embeddingTypes: ["float"],
			outputDimension: dimensions,
		});
		return embeddings.float ?? [];
	},
	voyage: async (model) => {
		const client = new VoyageAIClient({ environment: `${near.url}/v1`, apiKey: near.key });
		const { data = [] } = await client.embed({
			model,
			input: texts,
			inputType: "document",
			outputDimension: dimensions,
		});
		return data.map(({ embedding }) => embedding);
	},
	"AI SDK, openai": async (model) => {
		const provider = createOpenAI({ baseURL: `${near.url}/v1`, apiKey: near.key });
		const options = { providerOptions: { openai: { dimensions } }, maxRetries: 0 };
		return (await embedMany({ model: provider.textEmbeddingModel(model), values: texts, ...options })).embeddings;
	},
	"AI SDK, google": async (model) => {
		const provider = createGoogleGenerativeAI({ baseURL: `${near.url}/v1beta`, apiKey: near.key });
		const options = { providerOptions: { google: { outputDimensionality: dimensions } }, maxRetries: 0 };
		return (await embedMany({ model: provider.textEmbeddingModel(model), values: texts, ...options })).embeddings;
	},
	"LangChain, openai": (model) =>
		new OpenAIEmbeddings({
			model,
			dimensions,
			apiKey: near.key,
			configuration: { baseURL: `${near.url}/v1` },
			maxRetries: 0,
		}).embedDocuments(texts),
};

const lengthOf = (vector: readonly number[] = []): number => Math.hypot(...vector);

describe.each(Object.keys(clients))("%s", (name) => {
	test.each(models)("embeds by a model of %s", async (model) => {
		const vectors = (await clients[name]?.(model)) ?? [];
		const demo = (await clients[name]?.("demo")) ?? [];
		expect(vectors.map((vector) => vector?.length)).toEqual(texts.map(() => dimensions));
		for (const [at, vector] of vectors.entries()) {
			expect(lengthOf(vector)).toBeCloseTo(1, 5);
			for (const [place, value] of (vector ?? []).entries()) expect(value).toBeCloseTo(demo[at]?.[place] ?? 9, 5);
		}
		expect(new Set(vectors.map((vector) => String(vector))).size).toBe(texts.length);
	});
});

describe("what else clients ask", () => {
	test.each(models)("LangChain's Google class, and one text alone, by a model of %s", async (model) => {
		const options = { model, apiKey: near.key, baseUrl: near.url };
		const langchain = new GoogleGenerativeAIEmbeddings(options);
		expect((await langchain.embedDocuments(texts)).map((vector) => vector.length)).toEqual([1536, 1536, 1536]);
		expect(lengthOf(await langchain.embedQuery("good morning"))).toBeCloseTo(1, 5);
	});

	// It takes no other dimensions than Cohere's own models have.
	test.each(models)("the AI SDK's Cohere class by a model of %s", async (model) => {
		const provider = createCohere({ baseURL: `${near.url}/v2`, apiKey: near.key });
		const options = { providerOptions: { cohere: { outputDimension: 256 } }, maxRetries: 0 };
		const { embeddings } = await embedMany({ model: provider.textEmbeddingModel(model), values: texts, ...options });
		expect(embeddings.map((vector) => [vector.length, lengthOf(vector)])).toEqual(
			texts.map(() => [256, expect.closeTo(1, 5)]),
		);
	});

	test.each(models)("an older Cohere client by a model of %s", async (model) => {
		const client = new CohereClient({ environment: near.url, token: near.key });
		const answer = await client.embed({ model, texts, inputType: "search_query" });
		expect(answer.responseType).toBe("embeddings_floats");
		const { embeddings } = answer;
		expect(Array.isArray(embeddings) && embeddings.map(lengthOf)).toEqual(
			[1, 1, 1].map((one) => expect.closeTo(one, 5)),
		);
	});
});
