/** Thinking that a client of Messages left out, put back where it stood. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { asList, asRecord, type ModelAsk, placeOf } from "#core";
import {
	createTestClock,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestGateway,
} from "#core/testing";
import { carrier } from "../encode-output.ts";
import { askOf } from "../fixtures/exchange.ts";
import { messages as protocol } from "../protocol.ts";
import { KeptReasoning } from "./kept-reasoning.ts";
import { createConversations } from "./references.ts";

const token = { id: "tok_1" };
const origin = { protocol: "generate-content", family: "gemini" };
const sign = (value: string) => carrier({ value, origin }, "next");
const said = (value: string) => carrier({ value, origin }, "previous");
const user = (content: unknown) => ({ role: "user", content });
const call = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "f", input });
const result = (id: string, content: unknown = "x") => ({ type: "tool_result", tool_use_id: id, content });
const words = { type: "text", text: "So." };
const tools = [{ name: "f", input_schema: { type: "object" } }];
const asking = (...messages: readonly unknown[]): ModelAsk => askOf({ model: "m", max_tokens: 9, tools, messages });

const world = () => {
	const conversations = createConversations(new KeptReasoning(createTestClock()));
	return {
		save: async (answer: readonly unknown[], ...messages: readonly unknown[]) =>
			await conversations.save?.(asking(...messages), token, { content: answer }),
		load: async (...messages: readonly unknown[]) => await conversations.load(asking(...messages), token),
	};
};

/** The content of the messages of the model, as it goes on. */
const contentsOf = ({ body }: ModelAsk): readonly unknown[] =>
	asList(body.value["messages"])
		.map(asRecord)
		.flatMap(({ role, content }) => (role === "assistant" ? [content] : []));

test("each thought stands where it stood: before its call, at the beginning or at the end", async () => {
	const { save, load } = world();
	const answer = [sign("0"), words, said("1"), call("a"), sign("2"), call("b"), said("3")];
	await save(answer, user("Hi"));
	const ask = await load(
		user("Hi"),
		{ role: "assistant", content: [words, call("a"), call("b")] },
		user([result("a")]),
	);
	expect(contentsOf(ask)).toEqual([answer]);
	expect(JSON.parse(ask.body.text)).toEqual(ask.body.value);
	// A client that drops its words too.
	const short = await load(user("Hi"), { role: "assistant", content: [call("a"), call("b")] }, user([result("a")]));
	expect(contentsOf(short)).toEqual([answer.filter((block) => block !== words)]);
});

test("what a client sends itself, another conversation, Claude's own and calls that look alike get nothing", async () => {
	const { save, load } = world();
	await save([sign("1"), call("a")], user("Hi"));
	const bare = { role: "assistant", content: [call("a")] };
	const same = async (...messages: readonly unknown[]) => {
		const ask = await load(...messages);
		expect(ask.body.value["messages"]).toEqual(messages);
	};
	await same(user("Hi"), { role: "assistant", content: [sign("own"), call("a")] }, user([result("a")]));
	await same(user("Hello"), bare, user([result("a")]));
	await same(user("Hi"), bare, user("Hi"), bare, user([result("a")]));
	await save([{ type: "thinking", thinking: "Hm.", signature: "EqQB" }, call("c")], user("Claude"));
	await same(user("Claude"), { role: "assistant", content: [call("c")] }, user([result("c")]));
});

test("a turn behind results is told by what they say", async () => {
	const { save, load } = world();
	const first = [user("Hi"), { role: "assistant", content: [call("a")] }];
	const given = [...first, user([result("a", [{ type: "text", text: "42" }])])];
	await save([sign("1"), call("b")], ...given);
	const bare = { role: "assistant", content: [call("b")] };
	expect(contentsOf(await load(...given, bare, user([result("b")])))[1]).toEqual([sign("1"), call("b")]);
	const other = [...first, user([result("a", "43")])];
	expect(contentsOf(await load(...other, bare, user([result("b")])))[1]).toEqual([call("b")]);
});

test("a large number in what a call was given stays as it stood", async () => {
	const conversations = createConversations(new KeptReasoning(createTestClock()));
	const text = (history: string) =>
		`{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":{}}],"messages":[{"role":"user","content":"Hi"}${history}]}`;
	await conversations.save?.(askOf(text("")), token, { content: [sign("1"), call("a")] });
	const bare =
		'{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"id":9007199254740993}}]}';
	const { body } = await conversations.load(askOf(text(`,${bare}`)), token);
	expect(body.text).toContain("portico.");
	expect(body.text).toContain('{"id":9007199254740993}');
});

test("what follows keeps the places that the client knows, and what was put back has none", async () => {
	const { save, load } = world();
	await save([sign("1"), call("a")], user("Hi"));
	const strange = { type: "document", source: { type: "url", url: "https://a.test/a.pdf" } };
	const loaded = await load(user("Hi"), { role: "assistant", content: [call("a"), strange] }, user([result("a")]), {
		role: "assistant",
		content: [strange],
	});
	const changes = { model: "claude-sonnet-4-5", capabilities: {} };
	expect(protocol.passthrough.request(loaded, changes).losses).toEqual([]);
	const foreign = { role: "assistant", content: [call("a"), said("own")] };
	const own = await load(user("Hi"), { ...foreign, content: [call("a")] }, foreign);
	expect(protocol.passthrough.request(own, changes).losses?.map(({ path }) => path)).toEqual([
		"messages[2].content[1]",
	]);
});

test("a thought is put back once, however many calls of its id there are", async () => {
	const { save, load } = world();
	await save([sign("1"), call("a")], user("Hi"));
	const calls = [call("a"), call("a"), call("a")];
	const ask = await load(user("Hi"), { role: "assistant", content: calls }, user([result("a")]));
	expect(contentsOf(ask)).toEqual([[sign("1"), ...calls]]);
});

test("many messages behind one long one, and many blocks behind what was put back, are looked at once", async () => {
	const { save, load } = world();
	const long = user("x".repeat(4_000_000));
	await save([sign("1"), call("a")], long);
	const bare = Array.from({ length: 2_000 }, (_, at) => ({ role: "assistant", content: [call(`b${at}`)] }));
	const said = Array.from({ length: 30_000 }, () => words);
	const began = performance.now();
	const ask = await load(long, { role: "assistant", content: [call("a")] }, ...bare, user(said));
	const { messages } = protocol.client.decodeRequest(ask);
	expect(performance.now() - began).toBeLessThan(3_000);
	expect(placeOf(messages.at(-1)?.blocks.at(-1) ?? {})).toBe("messages[2002].content[29999]");
});

const gemini = {
	candidates: [
		{
			index: 0,
			content: {
				role: "model",
				parts: [
					{ text: "Let me look." },
					{ functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2VhbHNlYWw=" },
					{ functionCall: { name: "f", args: {} } },
				],
			},
			finishReason: "STOP",
		},
	],
	usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
};
const deepseek = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "deepseek-v4-pro",
	choices: [
		{
			index: 0,
			message: {
				role: "assistant",
				reasoning_content: "Hm.",
				content: "Let me look.",
				tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
			},
			finish_reason: "tool_calls",
		},
	],
	usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"messages",
			"chat-completions",
			"generate-content",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "google", protocol: "generate-content", url: upstream.url, key: "k" },
						{ name: "chat", protocol: "chat-completions", url: upstream.url, key: "k" },
					],
					models: [
						{ name: "gemini-3-pro-preview", targets: [{ upstream: "google" }] },
						{ name: "deepseek-v4-pro", targets: [{ upstream: "chat" }] },
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

const chunksOf = ({ choices: [choice], ...root }: typeof deepseek): readonly string[] => {
	const { reasoning_content, content, tool_calls } = choice?.message ?? {};
	const called = tool_calls?.map((one, index) => ({ index, ...one }));
	const deltas = [{ role: "assistant", reasoning_content }, { content }, { tool_calls: called }];
	const chunks = deltas.map((delta) => ({ ...root, choices: [{ index: 0, delta, finish_reason: null }] }));
	const last = { ...root, choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
	return [...[...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"];
};

const answers = {
	"gemini-3-pro-preview": [gemini, [`data: ${JSON.stringify(gemini)}\n\n`], "c2VhbHNlYWw="],
	"deepseek-v4-pro": [deepseek, chunksOf(deepseek), "Hm."],
} as const;

test.each(Object.entries(answers))("%s reads again what it thought, whole and streamed", async (model, answer) => {
	const [whole, pieces, thought] = answer;
	const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
	for (const streamed of [false, true]) {
		upstream.answer(() => (streamed ? streamOf(pieces) : Response.json(whole)));
		const ask = (...messages: Anthropic.MessageParam[]) => {
			const body = {
				model,
				max_tokens: 99,
				tools: [{ name: "f", input_schema: { type: "object" as const } }],
				messages,
			};
			return streamed ? client.messages.stream(body).finalMessage() : client.messages.create(body);
		};
		const question = { role: "user", content: `Streamed: ${streamed}.` } as const;
		const { content } = await ask(question);
		const bare = content.filter((block) => block.type === "text" || block.type === "tool_use");
		const results = bare.flatMap((block) =>
			block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "42" }] : [],
		);
		upstream.received.length = 0;
		await ask(question, { role: "assistant", content: bare }, { role: "user", content: results });
		expect(upstream.received[0]?.text).toContain(thought);
	}
});
