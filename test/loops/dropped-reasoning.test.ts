/**
 * Clients of chat-completions that give back the calls of an answer and nothing that stood beside them, as most do, those of
 * Responses that drop reasoning items, and Gemini's that keep no thoughts: the model gets its own reasoning back all the same.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asList, asRecord, asText } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let gateway: TestGateway;
let upstream: ScriptedUpstream;
/** Answers so far: each gives its call another id and another seal. */
let answers = 0;
/** Models that no upstream answers for now. */
const down = new Set<unknown>();
/** The id of the next call, for an upstream that counts its calls anew in each answer. */
let countedId: string | undefined;

const events = (list: readonly Readonly<Record<string, unknown>>[]): Response =>
	new Response(list.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream" },
	});

const claude = (stream: boolean): Response => {
	const content = [
		{ type: "thinking", thinking: "I should look.", signature: `seal-${answers}` },
		{ type: "text", text: "Let me see." },
		{ type: "tool_use", id: countedId ?? `toolu_${answers}`, name: "look", input: {} },
	];
	const message = { id: `msg_${answers}`, type: "message", role: "assistant", model: "claude", stop_sequence: null };
	const usage = { input_tokens: 9, output_tokens: 9 };
	if (!stream) return Response.json({ ...message, content, stop_reason: "tool_use", usage });
	const [thought, said, call] = content;
	return events([
		{ type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
		{ type: "content_block_start", index: 0, content_block: { ...thought, thinking: "", signature: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "I should look." } },
		{ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: `seal-${answers}` } },
		{ type: "content_block_stop", index: 0 },
		{ type: "content_block_start", index: 1, content_block: { ...said, text: "" } },
		{ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me see." } },
		{ type: "content_block_stop", index: 1 },
		{ type: "content_block_start", index: 2, content_block: call },
		{ type: "content_block_stop", index: 2 },
		{ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
		{ type: "message_stop" },
	]);
};

const gemini = (stream: boolean): Response => {
	const call = { functionCall: { name: "look", args: {} }, thoughtSignature: `seal-${answers}` };
	const body = {
		candidates: [{ content: { role: "model", parts: [call] }, finishReason: "STOP", index: 0 }],
		usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
		responseId: `answer-${answers}`,
	};
	if (!stream) return Response.json(body);
	return new Response(`data: ${JSON.stringify(body)}\n\n`, { headers: { "content-type": "text/event-stream" } });
};

const gpt = (stream: boolean): Response => {
	const id = answers;
	const output = [
		{ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: `seal-${id}` },
		{
			type: "function_call",
			id: `fc_${id}`,
			call_id: `call_${id}`,
			name: "look",
			arguments: "{}",
			status: "completed",
		},
	];
	const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };
	const response = {
		id: `resp_${id}`,
		object: "response",
		created_at: 5,
		status: "completed",
		model: "gpt",
		output,
		usage,
	};
	if (!stream) return Response.json(response);
	const items = output.flatMap((item, output_index) => [
		{ type: "response.output_item.added", output_index, item },
		{ type: "response.output_item.done", output_index, item },
	]);
	const created = {
		type: "response.created",
		response: { ...response, status: "in_progress", output: [], usage: null },
	};
	return events([created, ...items, { type: "response.completed", response }]);
};

/** DeepSeek by Anthropic's protocol: its thoughts bear no signature. */
const unsigned = (stream: boolean): Response => {
	const content = [
		{ type: "thinking", thinking: `I should look ${answers}.` },
		{ type: "tool_use", id: `toolu_${answers}`, name: "look", input: {} },
	];
	const message = { id: `msg_${answers}`, type: "message", role: "assistant", model: "m", stop_sequence: null };
	const usage = { input_tokens: 9, output_tokens: 9 };
	if (!stream) return Response.json({ ...message, content, stop_reason: "tool_use", usage });
	const [thought, call] = content;
	return events([
		{ type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
		{ type: "content_block_start", index: 0, content_block: { ...thought, thinking: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: thought?.thinking } },
		{ type: "content_block_stop", index: 0 },
		{ type: "content_block_start", index: 1, content_block: call },
		{ type: "content_block_stop", index: 1 },
		{ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
		{ type: "message_stop" },
	]);
};

/** DeepSeek says its reasoning as text, and refuses calls without it. */
const deepSeek = (stream: boolean): Response => {
	const reasoning_content = `I should "look" ${answers}.`;
	const call = { id: countedId ?? `call_${answers}`, type: "function", function: { name: "look", arguments: "{}" } };
	const head = { id: `chat-${answers}`, created: 5, model: "deepseek-chat" };
	const message = { role: "assistant", content: "", reasoning_content, tool_calls: [call] };
	if (!stream)
		return Response.json({
			...head,
			object: "chat.completion",
			choices: [{ index: 0, message, finish_reason: "tool_calls" }],
		});
	const deltas = [
		{ role: "assistant", content: "" },
		...(reasoning_content.match(/.{1,5}/g)?.map((piece) => ({ content: null, reasoning_content: piece })) ?? []),
		{ content: "So. " },
		{ tool_calls: [{ index: 0, ...call }] },
	];
	const choices = [
		...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
		{ index: 0, delta: {}, finish_reason: "tool_calls" },
	];
	const chunks = choices.map((choice) => ({ ...head, object: "chat.completion.chunk", choices: [choice] }));
	const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
	return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
};

beforeAll(async () => {
	upstream = startUpstream(({ path, json }) => {
		answers++;
		if (down.has(asRecord(json)["model"])) return new Response("{}", { status: 503 });
		if (path.endsWith("/completions")) return deepSeek(asRecord(json)["stream"] === true);
		if (path.includes("models/")) return gemini(path.includes("stream"));
		const { stream, model } = asRecord(json);
		if (!path.endsWith("/messages")) return gpt(stream === true);
		return (model === "deepseek-chat" ? unsigned : claude)(stream === true);
	});
	const to = (name: string, protocol: string) => ({ name, protocol, url: upstream.url, key: "k" });
	const strict = { translation: "strict" } as const;
	gateway = await startGateway({
		plugins: [
			"chat-completions",
			"responses",
			"messages",
			"generate-content",
			"tokens",
			{
				use: "router",
				with: {
					upstreams: [
						to("claude", "messages"),
						to("gemini", "generate-content"),
						to("gpt", "responses"),
						to("deepseek", "chat-completions"),
						{ ...to("groq", "chat-completions"), vendor: "groq" },
					],
					models: [
						{ name: "claude-opus-5", targets: [{ upstream: "claude" }] },
						{ name: "claude-again", targets: [{ upstream: "claude", model: "claude-opus-5" }] },
						{ name: "gemini-3-pro", targets: [{ upstream: "gemini" }] },
						{ name: "gpt-5.5", targets: [{ upstream: "gpt" }] },
						{ name: "deepseek-chat", targets: [{ upstream: "deepseek" }] },
						{ name: "deepseek-by-messages", targets: [{ upstream: "claude", model: "deepseek-chat" }] },
						{
							...{ name: "claude-or-gpt", ...strict },
							targets: [
								{ upstream: "claude", model: "claude-opus-5" },
								{ upstream: "gpt", model: "gpt-5.5" },
							],
						},
						{
							...{ name: "deepseek-or-groq", ...strict },
							targets: [
								{ upstream: "deepseek", model: "deepseek-chat" },
								{ upstream: "groq", model: "llama" },
							],
						},
						{ name: "renamed", targets: [{ upstream: "deepseek", model: "deepseek-chat" }] },
						{ name: "gpt-4o", targets: [{ upstream: "deepseek" }] },
					],
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
	upstream.received.length = 0;
	down.clear();
	countedId = undefined;
});

const path = "/v1/chat/completions";
const question = { role: "user", content: "What do you see?" };
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
const asking = (model: string, stream: boolean, messages: readonly unknown[]) => ({
	model,
	stream,
	tools,
	reasoning_effort: "high",
	messages,
});

/** The call of an answer as OpenAI's own types have it. */
const callIn = (text: string, stream: boolean): Readonly<Record<string, unknown>> => {
	const told = stream ? text.split("\n\n").filter((event) => event.startsWith("data: {")) : [`data: ${text}`];
	const calls = told.flatMap((event) => {
		const choice = asRecord(asList(asRecord(JSON.parse(event.slice(6)))["choices"])[0]);
		return asList(asRecord(choice[stream ? "delta" : "message"])["tool_calls"]).map(asRecord);
	});
	return { id: calls[0]?.["id"], type: "function", function: { name: "look", arguments: "{}" } };
};

/** A turn, and the next one by a client that keeps what OpenAI's types have; gives what the upstream was sent then. */
const loop = async (
	model: string,
	{ stream = false, next = model, key, fails }: { stream?: boolean; next?: string; key?: string; fails?: string } = {},
): Promise<string> => {
	const first = await gateway.ask(path, asking(model, stream, [question]));
	const call = callIn(await first.text(), stream);
	expect(asText(call["id"])).toBeString();
	const history = [
		question,
		{ role: "assistant", content: null, tool_calls: [call] },
		{ role: "tool", tool_call_id: call["id"], content: "a tree" },
	];
	if (fails !== undefined) down.add(fails);
	const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
	const second = await gateway.ask(path, asking(next, stream, history), headers);
	expect(second.status).toBe(200);
	expect(second.headers.get("x-portico-dropped")).toBeNull();
	await second.text();
	return JSON.stringify(upstream.received.at(-1)?.json);
};

const models = ["claude-opus-5", "gemini-3-pro", "gpt-5.5"];

test.each(models.flatMap((model) => [[model, false] as const, [model, true] as const]))(
	"%s gets its reasoning back (streamed: %p)",
	async (model, stream) => {
		const sent = await loop(model, { stream });
		expect(sent).toContain(`seal-${answers - 1}`);
	},
);

test("Claude gets the text of its thoughts with their seal, before the call", async () => {
	expect(turnIn(await loop("claude-opus-5"))).toMatchObject([
		{ type: "thinking", thinking: "I should look.", signature: `seal-${answers - 1}` },
		{ type: "tool_use", name: "look" },
	]);
});

test.each([
	["deepseek-chat", false],
	["deepseek-chat", true],
	["renamed", false],
	["renamed", true],
] as const)("%s gets its words of reasoning back where answers pass (streamed: %p)", async (model, stream) => {
	const { messages } = JSON.parse(await loop(model, { stream })) as { messages: unknown[] };
	expect(asRecord(messages[1])["reasoning_content"]).toBe(`I should "look" ${answers - 1}.`);
});

test.each([false, true])("DeepSeek gets its words back where answers are translated (streamed: %p)", async (stream) => {
	expect(turnIn(await loop("deepseek-by-messages", { stream }))[0]).toMatchObject({
		type: "thinking",
		thinking: `I should look ${answers - 1}.`,
	});
});

test("a model that wants no reasoning back gets none", async () => {
	const { messages } = JSON.parse(await loop("gpt-4o", { stream: true })) as { messages: unknown[] };
	expect(asRecord(messages[1])).not.toHaveProperty("reasoning_content");
});

test.each([
	["claude-or-gpt", "claude-opus-5", "gpt-5.5"],
	["deepseek-or-groq", "deepseek-chat", "llama"],
])(
	"%s: what the next upstream cannot take of what the client never sent is no loss, where none is allowed",
	async (model, fails, next) => {
		const sent = await loop(model, { fails });
		expect(sent).toContain(`"model":"${next}"`);
		expect(sent).not.toContain("I should");
	},
);

test("another token's calls, by the same id, bring nothing back", async () => {
	const { key } = await gateway.token({});
	expect(await loop("claude-opus-5", { key })).not.toContain("seal-");
});

test("another model's name brings nothing back", async () => {
	expect(await loop("claude-opus-5", { next: "claude-again" })).not.toContain("seal-");
});

test("an id that two answers gave brings nothing back", async () => {
	countedId = "look:0";
	expect(await loop("claude-opus-5")).toContain("seal-");
	expect(await loop("claude-opus-5")).not.toContain("seal-");
});

/** The same by Gemini's API, for a client that keeps all parts but thoughts; gives the parts of the second request too. */
const geminiLoop = async (model: string, stream: boolean, keeps: boolean): Promise<string> => {
	const address = `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
	const user = { role: "user", parts: [{ text: "What do you see?" }] };
	const body = {
		contents: [user],
		tools: [{ functionDeclarations: [{ name: "look" }] }],
		generationConfig: { thinkingConfig: { includeThoughts: true } },
	};
	const text = await (await gateway.ask(address, body)).text();
	const chunks = stream ? text.split("\n\n").filter((event) => event.startsWith("data: ")) : [`data: ${text}`];
	const parts = chunks.flatMap((event) => {
		const candidate = asRecord(asList(asRecord(JSON.parse(event.slice(6)))["candidates"])[0]);
		return asList(asRecord(candidate["content"])["parts"]).map(asRecord);
	});
	expect(parts.some((part) => part["thought"] === true)).toBe(true);
	const kept = keeps ? parts : parts.filter((part) => part["thought"] !== true);
	const call = asRecord(kept.find((part) => part["functionCall"] !== undefined)?.["functionCall"]);
	const result = { functionResponse: { id: call["id"], name: "look", response: { output: "a tree" } } };
	const contents = [user, { role: "model", parts: kept }, { role: "user", parts: [result] }];
	const second = await gateway.ask(address, { ...body, contents });
	expect(second.status).toBe(200);
	expect(second.headers.get("x-portico-dropped")).toBeNull();
	await second.text();
	return JSON.stringify(upstream.received.at(-1)?.json);
};

/** The model's turn as Claude is given it again. */
const turnIn = (sent: string): readonly Readonly<Record<string, unknown>>[] =>
	asList(asRecord(asList(asRecord(JSON.parse(sent))["messages"])[1])["content"]).map(asRecord);

test.each([
	["keeps no thoughts", false, false],
	["keeps no thoughts, streamed", true, false],
	["keeps them", false, true],
	["keeps them, streamed", true, true],
] as const)(
	"Claude gets its thought back once, before what it said, by a Gemini client that %s",
	async (_, stream, keeps) => {
		const turn = turnIn(await geminiLoop("claude-opus-5", stream, keeps));
		expect(turn[0]).toEqual({ type: "thinking", thinking: "I should look.", signature: `seal-${answers - 1}` });
		expect(
			turn
				.slice(1, -1)
				.map((block) => block["text"])
				.join(""),
		).toBe("Let me see.");
		expect(turn.at(-1)).toMatchObject({ type: "tool_use", name: "look" });
	},
);

interface ItemLoop {
	readonly stream?: boolean;
	readonly store?: boolean;
	readonly next?: string;
	readonly key?: string;
	readonly fails?: string;
	/** The client gives reasoning back itself. */
	readonly thinks?: boolean;
}

/** The same by Responses, for a client that keeps words and calls alone and writes them without ids, words last; gives the second answer's id too. */
const itemLoop = async (
	model: string,
	{ stream = false, store = false, next = model, key, fails, thinks = false }: ItemLoop = {},
): Promise<{ readonly sent: string; readonly id: unknown }> => {
	const address = "/v1/responses";
	const ask = (name: string, input: readonly unknown[]) => ({
		...{ model: name, stream, store, input, reasoning: { effort: "high" } },
		tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
	});
	const wholeOf = (text: string): Readonly<Record<string, unknown>> => {
		const last = text.split("\n\n").findLast((event) => event.includes("response.completed"));
		return stream ? asRecord(asRecord(JSON.parse(last?.split("data: ")[1] ?? "{}"))["response"]) : JSON.parse(text);
	};
	const first = await gateway.ask(address, ask(model, [question]));
	const output = asList(wholeOf(await first.text())["output"]).map(asRecord);
	const { name, arguments: given, call_id } = output.find(({ type }) => type === "function_call") ?? {};
	expect(asText(call_id)).toBeString();
	const history = [
		question,
		...output.filter(({ type }) => thinks && type === "reasoning"),
		{ type: "function_call", name, arguments: given, call_id },
		{ role: "assistant", content: "Let me see." },
		{ type: "function_call_output", call_id, output: "a tree" },
	];
	if (fails !== undefined) down.add(fails);
	const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
	const second = await gateway.ask(address, ask(next, history), headers);
	expect(second.status).toBe(200);
	expect(second.headers.get("x-portico-dropped")).toBeNull();
	const { id } = wholeOf(await second.text());
	return { sent: JSON.stringify(upstream.received.at(-1)?.json), id };
};

test.each(["claude-opus-5", "gemini-3-pro"].flatMap((model) => [[model, false] as const, [model, true] as const]))(
	"%s gets its reasoning back from Responses' clients that drop the item (streamed: %p)",
	async (model, stream) => {
		expect((await itemLoop(model, { stream })).sent).toContain(`seal-${answers - 1}`);
	},
);

test.each([false, true])("Claude's thought stands first then, whole (streamed: %p)", async (stream) => {
	expect(turnIn((await itemLoop("claude-opus-5", { stream })).sent)[0]).toEqual({
		...{ type: "thinking", thinking: "I should look.", signature: `seal-${answers - 1}` },
	});
});

test.each(["deepseek-chat", "deepseek-by-messages"])("%s gets its words of reasoning back then", async (model) => {
	const { sent } = await itemLoop(model);
	expect(sent).toContain("I should ");
	expect(sent).toContain(` ${answers - 1}.`);
});

test("reasoning that the client gives back itself stays alone", async () => {
	const { sent } = await itemLoop("claude-opus-5", { thinks: true });
	expect(sent.split("I should look.")).toHaveLength(2);
});

test("what an upstream of Responses itself cannot take of what the client never sent is no loss", async () => {
	const { sent } = await itemLoop("claude-or-gpt", { fails: "claude-opus-5" });
	expect(sent).toContain('"model":"gpt-5.5"');
	expect(sent).not.toContain("portico.");
});

test("neither another token's items nor another model's name bring reasoning back", async () => {
	const { key } = await gateway.token({});
	expect((await itemLoop("claude-opus-5", { key })).sent).not.toContain("seal-");
	expect((await itemLoop("claude-opus-5", { next: "claude-again" })).sent).not.toContain("seal-");
});

test("what was brought back is not listed among what the client sent", async () => {
	const { id } = await itemLoop("claude-opus-5", { store: true });
	const { data } = (await (await gateway.ask(`/v1/responses/${id}/input_items?order=asc`)).json()) as { data: unknown };
	expect(asList(data).map((item) => asRecord(item)["type"])).toEqual([
		...["message", "function_call", "message", "function_call_output"],
	]);
});
