/** The shipped config as a process of its own, and its model `demo` at every endpoint by the official clients, each unchanged. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCohere } from "@ai-sdk/cohere";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embedMany, generateSpeech, rerank, transcribe } from "ai";
import { CohereClientV2 } from "cohere-ai";
import OpenAI, { toFile } from "openai";
import OpenAISix from "openai-6";
import { VoyageAIClient } from "voyageai";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";

const model = "demo";
let folder: string;
let portico: PorticoProcess;
let key: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-stock-"));
	mkdirSync(join(folder, "config"));
	const config = join(folder, "config/portico.yaml");
	cpSync(join(import.meta.dir, "../../config/portico.yaml"), config);
	portico = await startProcess(folder, config, { PORTICO_PORT: "0" });
	key = portico.key ?? "";
}, 60_000);
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const openai = () => new OpenAI({ baseURL: `${portico.address}/v1`, apiKey: key, maxRetries: 0 });
const six = () => new OpenAISix({ baseURL: `${portico.address}/v1`, apiKey: key, maxRetries: 0 });
const ai = () => createOpenAI({ baseURL: `${portico.address}/v1`, apiKey: key });
const input = ["good morning", "good night"];
const dimensions = 12;
const expectVectors = (vectors: readonly (readonly number[] | undefined)[] = []): void => {
	expect(vectors.map((vector) => vector?.length)).toEqual([dimensions, dimensions]);
	for (const vector of vectors) expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 4);
};

test("openai 7 and 6: embeddings, moderations, completions", async () => {
	for (const client of [openai(), six() as unknown as OpenAI]) {
		const { data } = await client.embeddings.create({ model, input, dimensions });
		expectVectors(data.map(({ embedding }) => embedding));
		expect((await client.moderations.create({ model, input: "Hello" })).results).toHaveLength(1);
		expect((await client.completions.create({ model, prompt: "Once" })).choices[0]?.text).toContain("demo");
	}
});

test("openai 7 and 6: speech, its transcript, streamed and not", async () => {
	for (const client of [openai(), six() as unknown as OpenAI]) {
		const order = { model, voice: "alloy", input: "Hello", response_format: "wav" } as const;
		const speech = await (await client.audio.speech.create(order)).arrayBuffer();
		const file = await toFile(speech, "hello.wav");
		expect((await client.audio.transcriptions.create({ model, file })).text).toContain("demo");
		expect((await client.audio.translations.create({ model, file })).text).toContain("demo");
		const spoken = { model, file, response_format: "verbose_json" } as const;
		expect(await client.audio.translations.create(spoken)).toMatchObject({ task: "translate" });
		let last = "";
		for await (const { type } of await client.audio.transcriptions.create({ model, file, stream: true })) last = type;
		expect(last).toBe("transcript.text.done");
	}
});

test("openai 7 and 6: a conversation is compacted, and goes on", async () => {
	for (const client of [openai(), six() as unknown as OpenAI]) {
		const { output } = await client.responses.compact({ model: model as never, input: "Call me Ada." });
		expect(output.map(({ type }) => type as string)).toEqual(["compaction"]);
		const kept = output as unknown as OpenAI.Responses.ResponseInputItem[];
		const asked = { role: "user" as const, content: "Give me a summary of our conversation." };
		expect((await client.responses.create({ model, input: [...kept, asked] })).output_text).toContain("Ada");
	}
});

test("who names no model gets the demo, at every address where one may be left out", async () => {
	expect(await openai().moderations.create({ input: "Hello" })).toMatchObject({ model, results: [{ flagged: false }] });
	expect(await openai().videos.create({ prompt: "the sea" })).toMatchObject({ model, status: "queued" });
	for (const kind of ["image", "video", "music"])
		expect(await openai().post("/tasks", { body: { kind, prompt: "rain" } })).toMatchObject({ kind, model });
	const pictures = { body: { prompt: "rain", async: true } };
	expect(await openai().post("/images/generations", pictures)).toMatchObject({ kind: "image", model });
});

test("token ids are counted, each as one", async () => {
	const two = [[1, 2, 3], [4]];
	expect((await openai().embeddings.create({ model, input: two, dimensions })).usage.prompt_tokens).toBe(4);
	expect((await openai().embeddings.create({ model, input: [7, 8, 9], dimensions })).usage.prompt_tokens).toBe(3);
	expect((await openai().completions.create({ model, prompt: two })).usage?.prompt_tokens).toBe(4);
});

test("genai, Cohere and Voyage: embeddings and rerank", async () => {
	const genai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: portico.address } });
	const config = { outputDimensionality: dimensions };
	expectVectors(
		(await genai.models.embedContent({ model, contents: input, config })).embeddings?.map(({ values }) => values),
	);
	const cohere = new CohereClientV2({ environment: portico.address, token: key });
	const { embeddings } = await cohere.embed({
		model,
		texts: input,
		inputType: "search_query",
		embeddingTypes: ["float"],
		outputDimension: dimensions,
	});
	expectVectors(embeddings.float);
	const documents = ["the night", "a good night to all"];
	const ranked = await cohere.rerank({ model, query: "good night", documents, topN: 1 });
	expect(ranked.results.map(({ index }) => index)).toEqual([1]);
	const voyage = new VoyageAIClient({ environment: `${portico.address}/v1`, apiKey: key });
	const { data = [] } = await voyage.embed({ model, input, inputType: "document", outputDimension: dimensions });
	expectVectors(data.map(({ embedding }) => embedding));
	const { data: best = [] } = await voyage.rerank({ model, query: "good night", documents, topK: 1 });
	expect(best.map(({ index }) => index)).toEqual([1]);
});

test("the AI SDK and LangChain: embeddings, speech, transcripts, rerank", async () => {
	const settings = { providerOptions: { openai: { dimensions } }, maxRetries: 0 };
	expectVectors((await embedMany({ model: ai().textEmbeddingModel(model), values: input, ...settings })).embeddings);
	const { audio } = await generateSpeech({ model: ai().speech(model), text: "Hello", outputFormat: "wav" });
	expect((await transcribe({ model: ai().transcription(model), audio: audio.uint8Array })).text).toContain("demo");
	const cohere = createCohere({ baseURL: `${portico.address}/v2`, apiKey: key });
	const documents = ["the night", "a good night to all"];
	const { ranking } = await rerank({ model: cohere.reranking(model), query: "good night", documents, topN: 1 });
	expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([1]);
	const chain = new OpenAIEmbeddings({
		model,
		dimensions,
		apiKey: key,
		configuration: { baseURL: `${portico.address}/v1` },
	});
	expectVectors(await chain.embedDocuments(input));
});

test("a key that is not known gets nowhere", async () => {
	const stranger = new OpenAI({ baseURL: `${portico.address}/v1`, apiKey: `sk-${"x".repeat(49)}`, maxRetries: 0 });
	const refused = [
		stranger.embeddings.create({ model, input }),
		stranger.moderations.create({ model, input: "x" }),
		stranger.audio.speech.create({ model, voice: "alloy", input: "x" }),
	];
	// All are heard at once: one that is refused before anybody waits for it would fail the run.
	const statuses = refused.map((one) =>
		one.then(
			() => "answered",
			({ status }) => status,
		),
	);
	expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
});
