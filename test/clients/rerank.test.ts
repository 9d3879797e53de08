/** Rerank, moderations and completions by the official clients, rerank against a model of every dialect. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCohere } from "@ai-sdk/cohere";
import { rerank } from "ai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import OpenAI from "openai";
import OpenAISix from "openai-6";
import { VoyageAIClient } from "voyageai";
import { startGateway, type TestGateway } from "#core/testing";

const dialects = ["cohere", "voyage", "jina"] as const;
const models = ["demo", ...dialects];

let far: TestGateway;
let near: TestGateway;

beforeAll(async () => {
	const demo = { use: "demo", with: { wordMs: 0 } };
	const toDemo = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	const speaks = ["chat-completions", "rerank", "moderations", "completions"];
	far = await startGateway({ plugins: ["tokens", ...speaks, demo, toDemo] });
	near = await startGateway({
		plugins: [
			"tokens",
			...speaks,
			demo,
			{
				use: "router",
				with: {
					upstreams: [
						...dialects.map((dialect) => ({
							name: dialect,
							protocol: "chat-completions",
							url: `${far.url}${dialect === "cohere" ? "/v2" : "/v1"}`,
							key: far.key,
							endpoints: [{ rerank: dialect }],
						})),
						{ name: "openai", protocol: "chat-completions", url: `${far.url}/v1`, key: far.key },
					],
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "via", targets: [{ upstream: "openai", model: "demo" }] },
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

const query = "which city is the capital of France";
const documents = [
	"Bread is made of flour.",
	"Paris is the capital city of France",
	"Berlin is the capital of Germany",
	"Nothing of that kind",
];
/** By the words that they share with the question. */
const best = [1, 2];

type Rank = (model: string) => Promise<readonly { readonly index?: number; readonly relevanceScore?: number }[]>;

const clients: Readonly<Record<string, Rank>> = {
	"cohere, version 2": async (model) =>
		(await new CohereClientV2({ environment: near.url, token: near.key }).rerank({ model, query, documents, topN: 2 }))
			.results,
	"cohere, version 1": async (model) => {
		const client = new CohereClient({ environment: near.url, token: near.key });
		const { results, meta } = await client.rerank({ model, query, documents, topN: 2, returnDocuments: true });
		// What passes through as Jina's bytes has none.
		if (model !== "jina") expect(meta?.billedUnits?.searchUnits).toBe(1);
		expect(results.map(({ document }) => document?.text)).toEqual(best.map((at) => documents[at]));
		return results;
	},
	voyage: async (model) => {
		const client = new VoyageAIClient({ environment: `${near.url}/v1`, apiKey: near.key });
		const { data, usage } = await client.rerank({ model, query, documents, topK: 2 });
		expect(usage?.totalTokens).toBeGreaterThan(0);
		return data ?? [];
	},
	"AI SDK, cohere": async (model) => {
		const provider = createCohere({ baseURL: `${near.url}/v2`, apiKey: near.key });
		const { ranking } = await rerank({ model: provider.reranking(model), query, documents, topN: 2, maxRetries: 0 });
		return ranking.map(({ originalIndex: index, score: relevanceScore }) => ({ index, relevanceScore }));
	},
	"jina's form": async (model) => {
		const body = { model, query, documents: documents.map((text) => ({ text })), top_n: 2, return_documents: true };
		const answer = (await (await near.ask("/rerank", body)).json()) as {
			readonly results: readonly { index: number; relevance_score: number; document: { text: string } }[];
			readonly usage: { readonly total_tokens: number };
		};
		expect(answer.usage.total_tokens).toBeGreaterThan(0);
		expect(answer.results.map(({ document }) => document.text)).toEqual(best.map((at) => documents[at] ?? ""));
		return answer.results.map(({ index, relevance_score: relevanceScore }) => ({ index, relevanceScore }));
	},
};

describe.each(Object.keys(clients))("%s", (name) => {
	test.each(models)("ranks by a model of %s, the best first and no more than wanted", async (model) => {
		const results = (await clients[name]?.(model)) ?? [];
		expect(results.map(({ index }) => index)).toEqual(best);
		const [first = 0, second = 0] = results.map(({ relevanceScore }) => relevanceScore);
		expect(first).toBeGreaterThan(second);
		expect(second).toBeGreaterThan(0);
	});
});

// A gateway in between does not say who the client is, so not through one that speaks Voyage's dialect.
test.each(["demo", "cohere", "jina"])("Voyage's client is known by its name, by a model of %s", async (model) => {
	const client = new VoyageAIClient({ environment: `${near.url}/v1`, apiKey: near.key });
	const { data = [] } = await client.rerank({ model, query, documents, returnDocuments: true });
	expect(data.map(({ document }) => document)).toEqual([1, 2, 0, 3].map((at) => documents[at]));
});

const openAis = {
	"openai 7": () => new OpenAI({ baseURL: `${near.url}/v1`, apiKey: near.key, maxRetries: 0 }),
	"openai 6": () => new OpenAISix({ baseURL: `${near.url}/v1`, apiKey: near.key, maxRetries: 0 }) as unknown as OpenAI,
};

describe.each(Object.entries(openAis))("%s", (_, client) => {
	test.each(["demo", "via"])("moderates by %s", async (model) => {
		const input = ["a nice day", "I will murder the bread"];
		const { results } = await client().moderations.create({ model, input });
		expect(results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
			[false, false],
			[true, true],
		]);
	});

	test.each(["demo", "via"])("completes by %s, whole and streamed alike", async (model) => {
		const body = { model, prompt: "def add(a, b):", suffix: "return sum", max_tokens: 8 };
		const whole = await client().completions.create(body);
		expect(whole.choices[0]?.text).toBe(" This is the demo model of Portico; no");
		expect([whole.choices[0]?.finish_reason, whole.usage?.completion_tokens, whole.model]).toEqual([
			"length",
			8,
			model,
		]);
		const stream = await client().completions.create({ ...body, stream: true });
		let text = "";
		for await (const chunk of stream) {
			expect([chunk.choices.length, chunk.model]).toEqual([1, model]); // no chunk of usage that nobody asked for
			text += chunk.choices[0]?.text ?? "";
		}
		expect(text).toBe(whole.choices[0]?.text ?? "");
		const asked = await client().completions.create({ ...body, stream: true, stream_options: { include_usage: true } });
		const counts: (number | undefined)[] = [];
		for await (const chunk of asked) if (chunk.usage) counts.push(chunk.usage.completion_tokens);
		expect(counts).toEqual([8]);
	});
});
