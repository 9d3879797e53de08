/** What a client is told it lost, at the front door: in its own words, at its own places, and refused where that is wished. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const fn = { name: "f", input_schema: { type: "object", properties: {} } };
const grammar = { type: "grammar", syntax: "lark", definition: "start: /a+/" };
const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
const chatTools = ["f", "g", "h"].map((name) => ({ type: "function", function: { name } }));
const oneOfTwo = { type: "allowed_tools", allowed_tools: { mode: "required", tools: chatTools.slice(0, 2) } };
const forced = { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f", "g"] } };
const geminiTools = [{ functionDeclarations: [{ name: "f" }, { name: "g" }, { name: "h" }] }, { googleSearch: {} }];

/** Client, upstream, what is added to the request, and all that the client is told. */
const cases: readonly (readonly [ProtocolName, ProtocolName, WireRecord, readonly string[]])[] = [
	["messages", "chat-completions", { tools: [{ ...fn, input_examples: [{}] }] }, ["tools[0].input_examples"]],
	["messages", "responses", { tools: [fn, { ...fn, name: "g", input_examples: [{}] }] }, ["tools[1].input_examples"]],
	["messages", "generate-content", { tools: [{ ...fn, input_examples: [{}] }] }, ["tools[0].input_examples"]],
	// One of several functions must be called: a search beside them could be called in their stead.
	[
		"chat-completions",
		"messages",
		{ tools: chatTools, web_search_options: {}, tool_choice: oneOfTwo },
		["web_search_options"],
	],
	["generate-content", "messages", { tools: geminiTools, toolConfig: forced }, ["tools[1].googleSearch"]],
	[
		"messages",
		"responses",
		{
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "Read." },
						{ type: "document", source: { type: "text", media_type: "text/plain", data: "D" }, context: "old" },
					],
				},
			],
		},
		["messages[0].content[1].context"],
	],
	[
		"chat-completions",
		"messages",
		{
			messages: [
				{ role: "user", content: "Hi", name: "ann" },
				{ role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
				{ role: "tool", tool_call_id: "a", content: "ok" },
			],
		},
		["messages[0].name"],
	],
	[
		"messages",
		"generate-content",
		{ tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 3 }] },
		["tools[0].max_uses"],
	],
	[
		"messages",
		"chat-completions",
		{
			messages: [
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "no", is_error: true }] },
			],
			tools: [fn],
		},
		["messages[2].content[0].is_error"],
	],
	[
		"chat-completions",
		"messages",
		{
			messages: [
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: "Yes?", reasoning_content: "hm" },
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: "Yes?", reasoning: "hm" },
				{ role: "user", content: "Hi" },
			],
		},
		["messages[1].reasoning_content", "messages[3].reasoning"],
	],
	[
		"responses",
		"generate-content",
		{ tools: [{ type: "custom", name: "p", format: grammar }] },
		["tools[0].format.grammar"],
	],
	[
		"responses",
		"messages",
		{ truncation: "auto", prompt_cache_key: "k", prompt_cache_retention: "24h" },
		["prompt_cache_key", "prompt_cache_retention", "truncation"],
	],
	[
		"responses",
		"chat-completions",
		{ truncation: "auto", prompt_cache_key: "k", prompt_cache_retention: "24h" },
		["truncation", "prompt_cache_key", "prompt_cache_retention"],
	],
	[
		"responses",
		"messages",
		{
			input: [
				{ role: "user", content: "Hi" },
				call,
				{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" },
			],
		},
		["input[2]"],
	],
	["chat-completions", "messages", { n: 2, logit_bias: { "1": 2 }, seed: 3 }, ["seed", "logit_bias", "n"]],
	[
		"chat-completions",
		"generate-content",
		{
			prediction: { type: "content", content: "x" },
			parallel_tool_calls: false,
			tools: [{ type: "function", function: { name: "f" } }],
		},
		["parallel_tool_calls", "prediction"],
	],
	[
		"generate-content",
		"chat-completions",
		{ generationConfig: { imageConfig: { aspectRatio: "1:1" }, speechConfig: { languageCode: "de" }, topK: 4 } },
		["topK", "speechConfig", "imageConfig"],
	],
	[
		"generate-content",
		"messages",
		{
			tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }],
			toolConfig: { functionCallingConfig: { mode: "VALIDATED", allowedFunctionNames: ["g"] } },
		},
		["toolConfig"],
	],
	[
		"generate-content",
		"responses",
		{
			tools: [
				{
					functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } }],
				},
			],
			toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
		},
		["tools[0].functionDeclarations[0].parameters"],
	],
	["responses", "messages", { user: "anna", safety_identifier: "a-1" }, ["safety_identifier"]],
	[
		"messages",
		"responses",
		{
			messages: [
				{ role: "user", content: "As JSON." },
				{ role: "assistant", content: "{" },
			],
		},
		["messages"],
	],
	[
		"generate-content",
		"messages",
		{
			contents: [
				{
					role: "user",
					parts: [
						{ text: "What?" },
						{ inlineData: { mimeType: "image/png", data: "QUJD" }, mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } },
					],
				},
			],
			generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW" },
		},
		["mediaResolution", "contents[0].parts[1].mediaResolution"],
	],
	[
		"generate-content",
		"responses",
		{ generationConfig: { stopSequences: ["x"], candidateCount: 2 }, safetySettings: [{}], labels: { a: "b" } },
		["stopSequences", "candidateCount", "safetySettings", "labels"],
	],
];

describe.each(cases)("a client of %s, by %s,", (client, to, body, told) => {
	test(`is told of ${told.join(", ")}`, async () => {
		const response = await world.send(client, to, body);
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-dropped")?.split(",").sort()).toEqual([...told].sort());
	});

	test("is refused before anything is sent where nothing may be lost", async () => {
		const before = world.upstream.received.length;
		const response = await world.send(client, to, body, { strict: true });
		expect(response.status).toBe(400);
		expect(world.upstream.received.length).toBe(before);
		const { error } = asRecord(await response.json());
		for (const path of told) expect(asRecord(error)["message"]).toContain(path);
	});
});

test("what Portico itself put into a conversation is no loss of the client's", async () => {
	const open = {
		messages: [
			{ role: "user", content: "Hi" },
			{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
			{ role: "user", content: "Never mind." },
		],
		tools: [fn],
	};
	const response = await world.send("messages", "chat-completions", open, { strict: true });
	expect(response.status).toBe(200);
	expect(response.headers.get("x-portico-dropped")).toBeNull();
});

test("a picture that the model made goes back to it with nothing lost", async () => {
	const picture = { inlineData: { mimeType: "image/png", data: "QUJD" } };
	const answer = { candidates: [{ index: 0, content: { role: "model", parts: [picture] }, finishReason: "STOP" }] };
	const made = await world.send("responses", "generate-content", {}, { answer });
	const { output } = asRecord(await made.json());
	const input = [{ role: "user", content: "A cat" }, ...asList(output), { role: "user", content: "Larger" }];
	const response = await world.send("responses", "generate-content", { input }, { strict: true });
	expect(response.status).toBe(200);
	expect(world.upstream.received.at(-1)?.json).toMatchObject({ contents: [{}, { parts: [picture] }, {}] });
});

describe("a thought that Gemini did not sign", () => {
	const parts = [{ text: "Hm.", thought: true }, { text: "A hare." }];
	const answer = { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }] };
	const said = { role: "user", content: "Which animal?" };
	const next = { role: "user", content: "Sure?" };

	test.each([
		[
			"chat-completions",
			(told: WireRecord) => ({ messages: [said, asRecord(asList(told["choices"])[0])["message"], next] }),
		],
		["responses", (told: WireRecord) => ({ input: [said, ...asList(told["output"]), next] })],
		["messages", (told: WireRecord) => ({ messages: [said, { role: "assistant", content: told["content"] }, next] })],
	] as const)("comes back from a client of %s and is no loss", async (client, followed) => {
		const thought = await world.send(client, "generate-content", {}, { answer });
		const body = followed(asRecord(await thought.json()));
		const response = await world.send(client, "generate-content", body, { strict: true });
		expect(response.status).toBe(200);
		expect(world.upstream.received.at(-1)?.json).toMatchObject({
			contents: [{}, { parts: [{ text: "A hare." }] }, {}],
		});
		const elsewhere = client === "messages" ? "responses" : "messages";
		expect((await world.send(client, elsewhere, body)).headers.get("x-portico-dropped")).toMatch(/\[1\]/);
	});
});

test.each(protocolNames)("a plain request of %s loses nothing anywhere", async (client) => {
	for (const to of protocolNames) {
		const response = await world.send(client, to, {}, { strict: true });
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-dropped")).toBeNull();
	}
});
