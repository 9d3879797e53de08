/** What the soak's upstream answers when it is well: each protocol whole, and as a stream of words. */

export const protocols = ["chat-completions", "responses", "messages", "generate-content"] as const;
export type ProtocolName = (typeof protocols)[number];

/** Texts of a stream; `words` are sent one after the other. */
export interface Answer {
	readonly whole: string;
	readonly stream: { readonly first: string; readonly words: readonly string[]; readonly last: string };
}

/** Words of an answer. */
const count = 8;
const text = Array.from({ length: count }, (_, index) => `word${index} `);

const plain = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
	`event: ${data.type}\n${plain(data)}`;

const chat = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" };
const chatUsage = { prompt_tokens: 12, completion_tokens: count, total_tokens: 12 + count };
const chunk = (delta: object, finish: string | null = null): string =>
	plain({
		...chat,
		object: "chat.completion.chunk",
		choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
	});

const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };

const item = { id: "msg_1", type: "message", role: "assistant" };
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const part = { type: "output_text", text: text.join(""), annotations: [] };
const response = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: "m" };
const done = { ...item, status: "completed", content: [part] };
const completed = {
	...response,
	status: "completed",
	output: [done],
	usage: { input_tokens: 12, output_tokens: count, total_tokens: 12 + count },
};

const candidate = (words: string, more: object = {}): object => ({
	candidates: [{ index: 0, content: { role: "model", parts: [{ text: words }] }, ...more }],
	modelVersion: "m",
	responseId: "r",
});
const tokens = { promptTokenCount: 12, candidatesTokenCount: count, totalTokenCount: 12 + count };

/** The good answer of each protocol. */
export const answers: Readonly<Record<ProtocolName, Answer>> = {
	"chat-completions": {
		whole: JSON.stringify({
			...chat,
			object: "chat.completion",
			choices: [
				{
					index: 0,
					message: { role: "assistant", content: text.join(""), refusal: null },
					logprobs: null,
					finish_reason: "stop",
				},
			],
			usage: chatUsage,
		}),
		stream: {
			first: chunk({ role: "assistant", content: "" }),
			words: text.map((content) => chunk({ content })),
			last: `${chunk({}, "stop")}${plain({ ...chat, object: "chat.completion.chunk", choices: [], usage: chatUsage })}data: [DONE]\n\n`,
		},
	},
	responses: {
		whole: JSON.stringify(completed),
		stream: {
			first:
				named({ type: "response.created", response: { ...response, status: "in_progress", output: [] } }) +
				named({
					type: "response.output_item.added",
					output_index: 0,
					item: { ...item, status: "in_progress", content: [] },
				}) +
				named({ type: "response.content_part.added", ...place, part: { ...part, text: "" } }),
			words: text.map((delta) => named({ type: "response.output_text.delta", ...place, delta })),
			last:
				named({ type: "response.output_text.done", ...place, text: part.text }) +
				named({ type: "response.content_part.done", ...place, part }) +
				named({ type: "response.output_item.done", output_index: 0, item: done }) +
				named({ type: "response.completed", response: completed }),
		},
	},
	messages: {
		whole: JSON.stringify({
			...message,
			content: [{ type: "text", text: text.join("") }],
			stop_reason: "end_turn",
			usage: { input_tokens: 12, output_tokens: count },
		}),
		stream: {
			first:
				named({
					type: "message_start",
					message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 12, output_tokens: 1 } },
				}) + named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
			words: text.map((words) =>
				named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } }),
			),
			last:
				named({ type: "content_block_stop", index: 0 }) +
				named({
					type: "message_delta",
					delta: { stop_reason: "end_turn", stop_sequence: null },
					usage: { output_tokens: count },
				}) +
				named({ type: "message_stop" }),
		},
	},
	"generate-content": {
		whole: JSON.stringify({ ...candidate(text.join(""), { finishReason: "STOP" }), usageMetadata: tokens }),
		stream: {
			first: plain(candidate("A ")),
			words: text.map((words) => plain(candidate(words))),
			last: plain({ ...candidate(".", { finishReason: "STOP" }), usageMetadata: tokens }),
		},
	},
};
