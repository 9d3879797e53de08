/** An answer that ended otherwise than by itself: its row tells the upstream's word, in every protocol, whole and streamed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatStream } from "../support/chat-answers.ts";

let upstream: ScriptedUpstream;
let gateway: TestGateway;

const paths = { "chat-completions": "/v1", responses: "/v1", messages: "", "generate-content": "/v1beta" };

beforeAll(async () => {
	upstream = startUpstream();
	const upstreams = Object.entries(paths).map(([protocol, path]) => ({
		name: protocol,
		protocol,
		url: upstream.url + path,
		key: "k",
	}));
	const models = upstreams.map(({ name }) => ({ name, targets: [{ upstream: name, model: "up" }] }));
	const protocols = upstreams.map(({ name }) => name);
	gateway = await startGateway({
		plugins: ["tokens", ...protocols, "ledger", { use: "router", with: { upstreams, models } }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const said = (...events: readonly object[]): (() => Response) => {
	const frames = events.map((event) => {
		const { type } = asRecord(event);
		return `${type === undefined ? "" : `event: ${String(type)}\n`}data: ${JSON.stringify(event)}\n\n`;
	});
	return () => streamOf(frames);
};

const usage = { input_tokens: 3, output_tokens: 2 };
const message = { id: "m", type: "message", role: "assistant", model: "up", content: [], stop_sequence: null, usage };
const response = {
	id: "r",
	object: "response",
	created_at: 1,
	model: "up",
	output: [],
	usage: { ...usage, total_tokens: 5 },
};
const cut = { ...response, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
const chat = (finish_reason: string) => ({
	...{ id: "c", object: "chat.completion", created: 1, model: "up" },
	choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason }],
});
const candidate = (finishReason: string) => ({ candidates: [{ index: 0, finishReason }], modelVersion: "up" });

const user = [{ role: "user", content: "hi" }];
const asked = {
	"chat-completions": (model: string, stream: boolean) =>
		["/v1/chat/completions", { model, stream, messages: user }] as const,
	responses: (model: string, stream: boolean) => ["/v1/responses", { model, stream, input: "hi" }] as const,
	messages: (model: string, stream: boolean) =>
		["/v1/messages", { model, stream, max_tokens: 9, messages: user }] as const,
	"generate-content": (model: string, stream: boolean) =>
		[
			`/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
			{ contents: [{ role: "user", parts: [{ text: "hi" }] }] },
		] as const,
};

type Name = keyof typeof paths;
type Row = readonly [client: Name, model: Name, stream: boolean, answer: () => Response, stopped: string | undefined];

const rows: readonly Row[] = [
	["chat-completions", "chat-completions", false, () => Response.json(chat("content_filter")), "content_filter"],
	["chat-completions", "chat-completions", true, () => streamOf(chatStream([], "length")), "length"],
	["chat-completions", "chat-completions", true, () => streamOf(chatStream([{ content: "hi" }])), undefined],
	["responses", "responses", false, () => Response.json(cut), "max_output_tokens"],
	["responses", "responses", true, said({ type: "response.incomplete", response: cut }), "max_output_tokens"],
	["messages", "messages", false, () => Response.json({ ...message, stop_reason: "refusal" }), "refusal"],
	[
		"messages",
		"messages",
		true,
		said(
			{ type: "message_start", message },
			{ type: "message_delta", delta: { stop_reason: "max_tokens", stop_sequence: null }, usage },
			{ type: "message_stop" },
		),
		"max_tokens",
	],
	["generate-content", "generate-content", false, () => Response.json(candidate("SAFETY")), "SAFETY"],
	["generate-content", "generate-content", true, said(candidate("MALFORMED_FUNCTION_CALL")), "MALFORMED_FUNCTION_CALL"],
	["generate-content", "generate-content", true, said({ promptFeedback: { blockReason: "OTHER" } }), "OTHER"],
	["chat-completions", "generate-content", false, () => Response.json(candidate("RECITATION")), "RECITATION"],
	["messages", "chat-completions", true, () => streamOf(chatStream([{ content: "hi" }], "length")), "length"],
	["messages", "chat-completions", true, () => streamOf(chatStream([{ content: "hi" }], "\u001b[2Jlength")), undefined],
];

test.each(rows)("%s asks %s, streamed: %p", async (client, model, stream, answer, stopped) => {
	upstream.answer(answer);
	const [path, body] = asked[client](model, stream);
	const given = await gateway.ask(path, body);
	await given.text();
	const id = given.headers.get("x-request-id") ?? "";
	await gateway.admin("GET", "/admin/usage");
	const row = await gateway.admin("GET", `/admin/calls/${id}`);
	expect([given.status, row["ending"], row["stopped"]]).toEqual([200, "completed", stopped]);
	expect(row["advice"] === undefined).toBe(stopped === undefined);
	expect(asList(row["attempts"])).toHaveLength(1);
});
