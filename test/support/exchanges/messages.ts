/** Our own exchanges in messages. */
import type { RecordedAnswer } from "../recordings.ts";
import { description, json, listed, named, place, question, schema, thoughts, words } from "./said.ts";

const messagesUrl = "https://api.anthropic.com/v1/messages";
const messagesAsked = {
	model: "claude-sonnet-4-5",
	max_tokens: 1024,
	system: "Be brief.",
	messages: [{ role: "user", content: question }],
};
const messagesCalls = {
	model: "claude-sonnet-4-5",
	max_tokens: 4096,
	thinking: { type: "enabled", budget_tokens: 1024 },
	messages: [{ role: "user", content: "What is the weather in Cuxhaven?" }],
	tools: [{ name: "weather", description, input_schema: schema }],
};
const signature = Buffer.from("a signature of our own, as long as some are".repeat(3)).toString("base64");
const messageUsage = {
	input_tokens: 19,
	cache_creation_input_tokens: 0,
	cache_read_input_tokens: 0,
	output_tokens: 14,
	service_tier: "standard",
};
const message = (content: readonly object[], stop_reason: string | null, output_tokens = 14) => ({
	id: "msg_own1",
	type: "message",
	role: "assistant",
	model: "claude-sonnet-4-5-20250929",
	content,
	stop_reason,
	stop_sequence: null,
	usage: { ...messageUsage, output_tokens },
});
const block = (index: number, content_block: object, deltas: readonly object[]) => [
	{ type: "content_block_start", index, content_block },
	...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
	{ type: "content_block_stop", index },
];
const messagesStreamed = (blocks: readonly { readonly type: string }[], stop_reason: string): RecordedAnswer =>
	named([
		{ type: "message_start", message: message([], null, 1) } as { type: string },
		...blocks,
		{ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 14 } } as {
			type: string;
		},
		{ type: "message_stop" },
	]);
const thinking = { type: "thinking", thinking: thoughts.join(""), signature };
const toolUse = { type: "tool_use", id: "toolu_own1", name: "weather" };

export const messages = listed("messages", [
	{
		name: "words",
		url: messagesUrl,
		request: messagesAsked,
		answer: json(message([{ type: "text", text: words.join("") }], "end_turn")),
	},
	{
		name: "words, streamed",
		url: messagesUrl,
		request: { ...messagesAsked, stream: true },
		answer: messagesStreamed(
			block(
				0,
				{ type: "text", text: "" },
				words.map((text) => ({ type: "text_delta", text })),
			),
			"end_turn",
		),
	},
	{
		name: "thoughts and a call",
		url: messagesUrl,
		request: messagesCalls,
		answer: json(message([thinking, { ...toolUse, input: { town: "Cuxhaven" } }], "tool_use")),
	},
	{
		name: "thoughts and a call, streamed",
		url: messagesUrl,
		request: { ...messagesCalls, stream: true },
		answer: messagesStreamed(
			[
				...block(0, { type: "thinking", thinking: "", signature: "" }, [
					...thoughts.map((thinking) => ({ type: "thinking_delta", thinking })),
					{ type: "signature_delta", signature },
				]),
				...block(
					1,
					{ ...toolUse, input: {} },
					place.map((partial_json) => ({ type: "input_json_delta", partial_json })),
				),
			],
			"tool_use",
		),
	},
	{
		name: "a key that is refused",
		url: messagesUrl,
		request: messagesAsked,
		status: 401,
		answer: json({ type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }),
	},
]);
