/** Google's own clients, two generations of them, against a local server that answers what the encoder writes. */
import { afterAll, describe, expect, test } from "bun:test";
import { GoogleGenAI as CurrentClient, FunctionCallingConfigMode, type GenerateContentResponse } from "@google/genai";
import { GoogleGenAI as FormerClient } from "google-genai-1";
import {
	type Denial,
	explode,
	type NeutralRequest,
	type NeutralResponse,
	normalizeEvents,
	normalizeRequest,
	normalizeResponse,
} from "#core";
import { chunkings, streamOf } from "../../test/support/chunkings.ts";
import { askOf, decoded, encoded, response, target } from "./fixtures/asks.ts";
import { generateContent } from "./protocol.ts";

interface Scene {
	readonly answer: NeutralResponse;
	/** Refuse before an answer begins. */
	readonly denial?: Denial;
	/** Fail in the middle of the stream. */
	readonly failure?: Denial;
	readonly chunking: string;
}

interface Seen {
	url: URL;
	headers: Headers;
	request: NeutralRequest;
}

const servers: { stop(force: boolean): unknown }[] = [];
afterAll(() => {
	for (const server of servers) server.stop(true);
});

const { client } = generateContent;

const streamText = (scene: Scene, request: NeutralRequest): string => {
	const encoder = client.streamEncoder(request);
	const stage = normalizeEvents();
	const told = explode(scene.answer).filter(
		(event) => !scene.failure || (event.type !== "finish" && event.type !== "end"),
	);
	const all = scene.failure ? [...told, { type: "error", error: scene.failure } as const] : told;
	return all
		.flatMap((event) => stage.push(event))
		.map((event) => encoder.push(event))
		.join("");
};

/** Serves the scene as the core would. */
const serve = (scene: Scene): { url: string; seen: Seen[] } => {
	const seen: Seen[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(incoming) {
			const url = new URL(incoming.url);
			if (scene.denial) {
				const { status, headers, body } = client.renderDenial(scene.denial, "call-1");
				return Response.json(body, { status, headers });
			}
			const tail = url.pathname.slice(url.pathname.indexOf("/models/") + 8) + url.search;
			const ask = askOf((await incoming.json()) as object, tail);
			const { request } = normalizeRequest(client.decodeRequest(ask));
			seen.push({ url, headers: incoming.headers, request });
			if (ask.call.operation === "count_tokens") return Response.json(client.encodeTokenCount?.(42));
			if (!ask.call.stream) {
				const body = client.encodeResponse(normalizeResponse(scene.answer), request).body;
				return Response.json(body, { headers: { "content-type": "application/json" } });
			}
			const cut =
				chunkings()
					.find(({ name }) => name === scene.chunking)
					?.cut(streamText(scene, request)) ?? [];
			return new Response(streamOf(cut), { headers: { "content-type": client.streamType(ask) } });
		},
	});
	servers.push(server);
	return { url: `http://127.0.0.1:${server.port}`, seen };
};

const usage = { input: { total: 11, cacheRead: 4 }, output: { total: 9, reasoning: 2 } };
const weather = {
	type: "tool_call",
	id: "call_1",
	name: "weather",
	kind: "function",
	arguments: { form: "json", value: { city: "Oslo" }, text: '{"city":"Oslo"}' },
} as const;
const second = {
	...weather,
	id: "call_2",
	arguments: { form: "json", value: { city: "Rome" }, text: '{"city":"Rome"}' },
} as const;
const thought = {
	type: "thinking",
	text: "Hmm, let me see.",
	form: "full",
	signature: { value: "c2ln", origin: { protocol: "messages", family: "claude" } },
} as const;

const clients = {
	"@google/genai 3": (baseUrl: string) => new CurrentClient({ apiKey: "sk-test", httpOptions: { baseUrl } }),
	"@google/genai 1": (baseUrl: string) =>
		// The two generations are used here alike; their types differ only in what these tests do not touch.
		new FormerClient({ apiKey: "sk-test", httpOptions: { baseUrl } }) as unknown as CurrentClient,
};

/** What a client makes of a stream; every chunk must have a part, or a chat forgets the answer. */
const gather = async (stream: AsyncIterable<GenerateContentResponse>) => {
	let said = "";
	let thoughts = "";
	let finish: unknown;
	let total: unknown;
	const calls: unknown[] = [];
	for await (const chunk of stream) {
		const [candidate] = chunk.candidates ?? [];
		const parts = candidate?.content?.parts ?? [];
		expect(parts.length).toBeGreaterThan(0);
		for (const { text = "", thought, functionCall } of parts) {
			if (thought) thoughts += text;
			else said += text;
			if (functionCall) calls.push(functionCall);
		}
		finish = candidate?.finishReason ?? finish;
		total = chunk.usageMetadata?.totalTokenCount ?? total;
	}
	return { said, thoughts, calls, finish, total };
};

const text = response([{ type: "text", text: "Grüße aus 東京 🗼!" }], { usage });
const model = "some/model";

for (const [name, connect] of Object.entries(clients)) {
	describe(name, () => {
		test("generateContent reads text, finish reason and usage", async () => {
			const { url, seen } = serve({ answer: text, chunking: "whole" });
			const answer = await connect(url).models.generateContent({
				model,
				contents: "Hello",
				config: { systemInstruction: "Be brief.", temperature: 0.5, maxOutputTokens: 64, stopSequences: ["END"] },
			});
			expect(answer.text).toBe("Grüße aus 東京 🗼!");
			expect(answer.candidates?.[0]?.finishReason).toBe("STOP" as never);
			expect(answer.modelVersion).toBe(model);
			expect(answer.responseId).toBe("answer-1");
			expect(answer.usageMetadata).toMatchObject({
				promptTokenCount: 11,
				cachedContentTokenCount: 4,
				candidatesTokenCount: 7,
				thoughtsTokenCount: 2,
				totalTokenCount: 20,
			});
			expect(seen[0]?.headers.get("x-goog-api-key")).toBe("sk-test");
			expect(seen[0]?.request).toMatchObject({
				model,
				sampling: { temperature: 0.5 },
				maxOutputTokens: 64,
				stop: ["END"],
				messages: [
					{ role: "system", blocks: [{ type: "text", text: "Be brief." }] },
					{ role: "user", blocks: [{ type: "text", text: "Hello" }] },
				],
			});
		});

		for (const chunking of ["whole", "by event", "by byte", "at random"])
			test(`generateContentStream reads thoughts, text and parallel calls, cut ${chunking}`, async () => {
				const answer = response([thought, { type: "text", text: "I will look: 🌦 it up." }, weather, second], { usage });
				const { url } = serve({
					answer: { ...answer, candidates: [{ ...answer.candidates[0]!, finish: { reason: "tool_calls" } }] },
					chunking,
				});
				const { said, thoughts, calls, finish, total } = await gather(
					await connect(url).models.generateContentStream({ model, contents: "Weather?" }),
				);
				expect(said).toBe("I will look: 🌦 it up.");
				expect(thoughts).toBe("Hmm, let me see.");
				expect(calls).toEqual([
					{ id: "call_1", name: "weather", args: { city: "Oslo" } },
					{ id: "call_2", name: "weather", args: { city: "Rome" } },
				]);
				expect(finish).toBe("STOP");
				expect(total).toBe(20);
			});

		test("a chat keeps what a stream said in its history, and the next turn brings it back", async () => {
			const { url, seen } = serve({
				answer: response([thought, { type: "text", text: "One, two." }], { usage }),
				chunking: "by event",
			});
			const chat = connect(url).chats.create({ model });
			for await (const _ of await chat.sendMessageStream({ message: "Count." }));
			for await (const _ of await chat.sendMessageStream({ message: "Go on." }));
			expect(seen[1]?.request.messages).toEqual([
				{ role: "user", blocks: [{ type: "text", text: "Count." }] },
				{
					role: "assistant",
					blocks: [
						{ type: "thinking", text: thought.text, form: "summary", signature: thought.signature },
						{ type: "text", text: "One, two." },
					],
				},
				{ role: "user", blocks: [{ type: "text", text: "Go on." }] },
			]);
		});

		test("tools, their config, thinking and a response schema reach an upstream as they were meant", async () => {
			const { url, seen } = serve({ answer: response([weather]), chunking: "whole" });
			const answer = await connect(url).models.generateContent({
				model,
				contents: [{ role: "user", parts: [{ text: "Weather?" }] }],
				config: {
					tools: [
						{
							functionDeclarations: [
								{
									name: "weather",
									description: "Looks it up.",
									parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } },
								},
							],
						},
					],
					toolConfig: {
						functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] },
					},
					thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
				},
			});
			expect(answer.functionCalls).toEqual([{ id: "call_1", name: "weather", args: { city: "Oslo" } }]);
			const { body } = encoded(seen[0]!.request, target("gemini-2.5-pro"));
			expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] } });
			expect(body.generationConfig).toEqual({ thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } });
			expect(body.tools[0].functionDeclarations[0].parametersJsonSchema.properties).toEqual({
				city: { type: "string" },
			});
		});

		test("countTokens reads the count", async () => {
			const { url } = serve({ answer: text, chunking: "whole" });
			expect((await connect(url).models.countTokens({ model, contents: "Hello" })).totalTokens).toBe(42);
		});

		test("a refusal before the answer is an ApiError with its status and reason", async () => {
			const { url } = serve({
				answer: text,
				chunking: "whole",
				denial: { kind: "authentication", message: "Unknown key." },
			});
			const failed = connect(url).models.generateContent({ model, contents: "Hello" });
			expect(failed).rejects.toMatchObject({ status: 401 });
			expect(await failed.catch((error: Error) => error.message)).toContain("API_KEY_INVALID");
		});

		for (const chunking of ["whole", "by event", "by byte", "at random"])
			test(`a failure in the middle of a stream raises, cut ${chunking}`, async () => {
				const failure = { kind: "upstream", message: "The upstream broke off." } as const;
				const { url } = serve({ answer: text, chunking, failure });
				const stream = await connect(url).models.generateContentStream({ model, contents: "Hello" });
				let said = "";
				const reading = (async () => {
					for await (const chunk of stream) said += chunk.text ?? "";
				})();
				expect(reading).rejects.toThrow();
				await reading.catch(() => undefined);
				expect(said).toBe("Grüße aus 東京 🗼!");
			});
	});
}

test("what a client's helper makes of a request is what the body says", () => {
	expect(decoded({ contents: "Hello" }).messages).toEqual([
		{ role: "user", blocks: [{ type: "text", text: "Hello" }] },
	]);
});
