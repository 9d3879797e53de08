/** Streams and whole answers of the four protocols as an upstream sends them, for upstreams that count what they would bill. */
import type { ProtocolName } from "./recordings.ts";

export interface Counts {
	readonly input: number;
	/** All output, what was thought in secret included. */
	readonly output: number;
	readonly reasoning?: number;
}

interface Answers {
	/** What a stream begins with; the input is told where the protocol tells it then. */
	opening(counts: Counts): string;
	/** One piece of the answer, one token. */
	word(text: string): string;
	/** The end of the answer's content, which some protocols tell once more; then the count and the last word of the stream. */
	finish(counts: Counts, text?: string): string;
	count(counts: Counts, text?: string): string;
	whole(text: string, counts: Counts): object;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string; readonly [member: string]: unknown }): string =>
	`event: ${value.type}\n${data(value)}`;

const chunk = (choices: readonly unknown[], more: object = {}): string =>
	data({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more });
const chatUsage = ({ input, output, reasoning = 0 }: Counts) => ({
	prompt_tokens: input,
	completion_tokens: output,
	total_tokens: input + output,
	completion_tokens_details: { reasoning_tokens: reasoning },
});

const responseUsage = ({ input, output, reasoning = 0 }: Counts) => ({
	input_tokens: input,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: output,
	output_tokens_details: { reasoning_tokens: reasoning },
	total_tokens: input + output,
});
const response = (status: string, output: readonly unknown[], more: object = {}) => ({
	id: "resp_upstream",
	object: "response",
	created_at: 1,
	status,
	model: "m",
	output,
	...more,
});
const placeInResponse = { item_id: "msg_1", output_index: 0, content_index: 0 };
const textPart = (text: string) => ({ type: "output_text", text, annotations: [] });
const messageItem = (text: string) => ({
	id: "msg_1",
	type: "message",
	status: "completed",
	role: "assistant",
	content: [textPart(text)],
});

const geminiUsage = ({ input, output, reasoning = 0 }: Counts) => ({
	promptTokenCount: input,
	candidatesTokenCount: output - reasoning,
	thoughtsTokenCount: reasoning,
	totalTokenCount: input + output,
});
const candidate = (text: string, more: object = {}) => ({
	content: { role: "model", parts: [{ text }] },
	index: 0,
	...more,
});

export const answers: Readonly<Record<ProtocolName, Answers>> = {
	"chat-completions": {
		opening: () => chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
		word: (text) => chunk([{ index: 0, delta: { content: text }, finish_reason: null }]),
		finish: () => chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
		count: (counts) => `${chunk([], { usage: chatUsage(counts) })}data: [DONE]\n\n`,
		whole: (text, counts) => ({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "m",
			choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
			usage: chatUsage(counts),
		}),
	},
	messages: {
		opening: ({ input }) =>
			named({
				type: "message_start",
				message: {
					id: "msg_1",
					type: "message",
					role: "assistant",
					model: "m",
					content: [],
					stop_reason: null,
					stop_sequence: null,
					usage: { input_tokens: input, output_tokens: 1 },
				},
			} as never) + named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
		word: (text) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
		finish: () => named({ type: "content_block_stop", index: 0 }),
		count: ({ output }) =>
			named({
				type: "message_delta",
				delta: { stop_reason: "end_turn", stop_sequence: null },
				usage: { output_tokens: output },
			} as never) + named({ type: "message_stop" }),
		whole: (text, { input, output }) => ({
			id: "msg_1",
			type: "message",
			role: "assistant",
			model: "m",
			content: [{ type: "text", text }],
			stop_reason: "end_turn",
			stop_sequence: null,
			usage: { input_tokens: input, output_tokens: output },
		}),
	},
	responses: {
		opening: () =>
			named({ type: "response.created", response: response("in_progress", []) }) +
			named({
				type: "response.output_item.added",
				output_index: 0,
				item: { ...messageItem(""), status: "in_progress", content: [] },
			}) +
			named({ type: "response.content_part.added", ...placeInResponse, part: textPart("") }),
		word: (text) => named({ type: "response.output_text.delta", ...placeInResponse, delta: text }),
		finish: (_, text = "all of it") =>
			named({ type: "response.output_text.done", ...placeInResponse, text }) +
			named({ type: "response.content_part.done", ...placeInResponse, part: textPart(text) }) +
			named({ type: "response.output_item.done", output_index: 0, item: messageItem(text) }),
		count: (counts, text = "all of it") =>
			named({
				type: "response.completed",
				response: response("completed", [messageItem(text)], { usage: responseUsage(counts) }),
			} as never),
		whole: (text, counts) => response("completed", [messageItem(text)], { usage: responseUsage(counts) }),
	},
	"generate-content": {
		opening: ({ input }) =>
			data({
				candidates: [candidate("")],
				usageMetadata: { promptTokenCount: input, totalTokenCount: input },
				modelVersion: "m",
			}),
		word: (text) => data({ candidates: [candidate(text)], modelVersion: "m" }),
		finish: () => "",
		count: (counts) =>
			data({
				candidates: [candidate("", { finishReason: "STOP" })],
				usageMetadata: geminiUsage(counts),
				modelVersion: "m",
			}),
		whole: (text, counts) => ({
			candidates: [candidate(text, { finishReason: "STOP" })],
			usageMetadata: geminiUsage(counts),
			modelVersion: "m",
		}),
	},
};

/** A whole stream that says the text in words as they are given. */
export const streamed = (protocol: ProtocolName, words: readonly string[], counts: Counts): string => {
	const { opening, word, finish, count } = answers[protocol];
	const text = words.join("");
	return opening(counts) + words.map(word).join("") + finish(counts, text) + count(counts, text);
};

/** The request of a client, and where it goes. */
export const requestOf = (
	protocol: ProtocolName,
	{
		model,
		prompt,
		stream,
		limit,
	}: { readonly model: string; readonly prompt: string; readonly stream: boolean; readonly limit: number },
): { readonly path: string; readonly body: object } => {
	switch (protocol) {
		case "chat-completions":
			return {
				path: "/v1/chat/completions",
				body: { model, stream, max_completion_tokens: limit, messages: [{ role: "user", content: prompt }] },
			};
		case "messages":
			return {
				path: "/v1/messages",
				body: { model, stream, max_tokens: limit, messages: [{ role: "user", content: prompt }] },
			};
		case "responses":
			return { path: "/v1/responses", body: { model, stream, max_output_tokens: limit, input: prompt } };
		case "generate-content":
			return {
				path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
				body: { contents: [{ role: "user", parts: [{ text: prompt }] }], generationConfig: { maxOutputTokens: limit } },
			};
	}
};
