/** Small answers of each protocol's upstream, whole and in pieces, and the ways in which they break. */
import type { ProtocolName } from "../support/recordings.ts";

type Json = Readonly<Record<string, unknown>>;

/** What an upstream says in every answer. */
export const said = "Good day to you";

/** Counts as an upstream reports them; undefined leaves them out. */
export type Counts = { readonly input: number; readonly output: number } | undefined;

interface Answers {
	readonly whole: (counts: Counts) => Json;
	/** The stream's events: those before its end, and those that end it. */
	readonly stream: (
		counts: Counts,
		text: string,
	) => { readonly before: readonly string[]; readonly ending: readonly string[] };
	/** How this upstream tells of a failure within a stream. */
	readonly error: string;
	/** A failure as a whole body. */
	readonly failure: Json;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (event: Json): string => `event: ${String(event["type"])}\n${data(event)}`;
const only = <T>(value: T | undefined, key: string): Json => (value === undefined ? {} : { [key]: value });

const chatUsage = (counts: Counts): Json | undefined =>
	counts && {
		prompt_tokens: counts.input,
		completion_tokens: counts.output,
		total_tokens: counts.input + counts.output,
	};
const chunk = (rest: Json): string =>
	data({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "there", ...rest });
const choice = (delta: Json, finish_reason: string | null = null): Json => ({
	choices: [{ index: 0, delta, logprobs: null, finish_reason }],
});
const openaiError = { message: "The engine stalled", type: "server_error", param: null, code: "server_error" };

const chat: Answers = {
	whole: (counts) => ({
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1_700_000_000,
		model: "there",
		choices: [
			{ index: 0, message: { role: "assistant", content: said, refusal: null }, logprobs: null, finish_reason: "stop" },
		],
		...only(chatUsage(counts), "usage"),
	}),
	stream: (counts, text) => ({
		before: [chunk(choice({ role: "assistant", content: "" })), chunk(choice({ content: text }))],
		ending: [
			chunk(choice({}, "stop")),
			...(counts ? [chunk({ choices: [], usage: chatUsage(counts) })] : []),
			"data: [DONE]\n\n",
		],
	}),
	error: data({ error: openaiError }),
	failure: { error: openaiError },
};

const responsesUsage = (counts: Counts): Json | undefined =>
	counts && {
		input_tokens: counts.input,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: counts.output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: counts.input + counts.output,
	};
const response = (status: string, output: readonly Json[], rest: Json = {}): Json => ({
	id: "resp_1",
	object: "response",
	created_at: 1_700_000_000,
	status,
	model: "there",
	error: null,
	incomplete_details: null,
	instructions: null,
	metadata: {},
	parallel_tool_calls: true,
	temperature: 1,
	top_p: 1,
	tool_choice: "auto",
	tools: [],
	output,
	...rest,
});
const message = (text: string, status: string): Json => ({
	id: "msg_1",
	type: "message",
	status,
	role: "assistant",
	content: status === "completed" ? [{ type: "output_text", text, annotations: [], logprobs: [] }] : [],
});
const numbered = (events: readonly Json[], from = 0): readonly string[] =>
	events.map((event, at) => named({ ...event, sequence_number: from + at }));
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const part = (text: string): Json => ({ type: "output_text", text, annotations: [], logprobs: [] });
const responsesBegun = (text: string): readonly Json[] => [
	{ type: "response.created", response: response("in_progress", []) },
	{ type: "response.in_progress", response: response("in_progress", []) },
	{ type: "response.output_item.added", output_index: 0, item: message("", "in_progress") },
	{ type: "response.content_part.added", ...place, part: part("") },
	{ type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
];

const responses: Answers = {
	whole: (counts) => response("completed", [message(said, "completed")], only(responsesUsage(counts), "usage")),
	stream: (counts, text) => ({
		before: numbered(responsesBegun(text)),
		ending: numbered(
			[
				{ type: "response.output_text.done", ...place, text, logprobs: [] },
				{ type: "response.content_part.done", ...place, part: part(text) },
				{ type: "response.output_item.done", output_index: 0, item: message(text, "completed") },
				{
					type: "response.completed",
					response: response("completed", [message(text, "completed")], only(responsesUsage(counts), "usage")),
				},
			],
			5,
		),
	}),
	error: named({ type: "error", sequence_number: 5, code: "server_error", message: "The engine stalled", param: null }),
	failure: { error: openaiError },
};

const messagesError = {
	type: "error",
	error: { type: "api_error", message: "The engine stalled" },
	request_id: "req_1",
};

const messages: Answers = {
	whole: (counts) => ({
		id: "msg_1",
		type: "message",
		role: "assistant",
		model: "there",
		content: [{ type: "text", text: said }],
		stop_reason: "end_turn",
		stop_sequence: null,
		...only(counts && { input_tokens: counts.input, output_tokens: counts.output }, "usage"),
	}),
	stream: (counts, text) => ({
		before: [
			named({
				type: "message_start",
				message: {
					id: "msg_1",
					type: "message",
					role: "assistant",
					model: "there",
					content: [],
					stop_reason: null,
					stop_sequence: null,
					...only(counts && { input_tokens: counts.input, output_tokens: 1 }, "usage"),
				},
			}),
			named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
			named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
		],
		ending: [
			named({ type: "content_block_stop", index: 0 }),
			named({
				type: "message_delta",
				delta: { stop_reason: "end_turn", stop_sequence: null },
				...only(counts && { output_tokens: counts.output }, "usage"),
			}),
			named({ type: "message_stop" }),
		],
	}),
	error: named(messagesError),
	failure: messagesError,
};

const candidate = (text: string | undefined, finishReason?: string): Json => ({
	candidates: [
		{
			index: 0,
			content: { role: "model", parts: text === undefined ? [] : [{ text }] },
			...only(finishReason, "finishReason"),
		},
	],
	modelVersion: "there",
	responseId: "r1",
});
const geminiUsage = (counts: Counts): Json =>
	only(
		counts && {
			promptTokenCount: counts.input,
			candidatesTokenCount: counts.output,
			totalTokenCount: counts.input + counts.output,
		},
		"usageMetadata",
	);
const geminiError = { error: { code: 503, message: "The engine stalled", status: "UNAVAILABLE" } };

const generateContent: Answers = {
	whole: (counts) => ({ ...candidate(said, "STOP"), ...geminiUsage(counts) }),
	stream: (counts, text) => ({
		before: [data(candidate(text))],
		ending: [data({ ...candidate(undefined, "STOP"), ...geminiUsage(counts) })],
	}),
	error: data(geminiError),
	failure: geminiError,
};

/** The answers of every protocol's upstream. */
export const answersOf: Readonly<Record<ProtocolName, Answers>> = {
	"chat-completions": chat,
	responses,
	messages,
	"generate-content": generateContent,
};
