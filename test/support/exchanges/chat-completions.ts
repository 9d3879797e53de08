/** Our own exchanges in chat-completions. */
import type { RecordedAnswer } from "../recordings.ts";
import { description, json, listed, place, question, refused, schema, words } from "./said.ts";

const chatUrl = "https://api.openai.com/v1/chat/completions";
const chatUsage = {
	prompt_tokens: 19,
	completion_tokens: 14,
	total_tokens: 33,
	prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
	completion_tokens_details: {
		reasoning_tokens: 0,
		audio_tokens: 0,
		accepted_prediction_tokens: 0,
		rejected_prediction_tokens: 0,
	},
};
const chatAsked = {
	model: "gpt-4o-mini",
	messages: [
		{ role: "system", content: "Be brief." },
		{ role: "user", content: question },
	],
};
const chatCalls = {
	model: "gpt-4o-mini",
	messages: [{ role: "user", content: "What is the weather in Cuxhaven?" }],
	tools: [{ type: "function", function: { name: "weather", description, parameters: schema } }],
};
const chatHead = { id: "chatcmpl-own1", created: 1_780_000_000, model: "gpt-4o-mini-2024-07-18" };
const chatWhole = (message: object, finish_reason: string) =>
	json({
		...chatHead,
		object: "chat.completion",
		choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, logprobs: null, finish_reason }],
		usage: chatUsage,
	});
const chatStreamed = (deltas: readonly object[], finish: string): RecordedAnswer => {
	const chunk = (choices: readonly object[], usage: unknown) => ({
		...chatHead,
		object: "chat.completion.chunk",
		choices,
		usage,
	});
	const choice = (delta: object, finish_reason: string | null = null) => [
		{ index: 0, delta, logprobs: null, finish_reason },
	];
	const events = [
		chunk(choice({ role: "assistant", content: "", refusal: null }), null),
		...deltas.map((delta) => chunk(choice(delta), null)),
		chunk(choice({}, finish), null),
		chunk([], chatUsage),
	].map((event) => `data: ${JSON.stringify(event)}\n\n`);
	return { form: "events", text: `${events.join("")}data: [DONE]\n\n` };
};
const usageToo = { stream: true, stream_options: { include_usage: true } };

export const chat = listed("chat-completions", [
	{ name: "words", url: chatUrl, request: chatAsked, answer: chatWhole({ content: words.join("") }, "stop") },
	{
		name: "words, streamed",
		url: chatUrl,
		request: { ...chatAsked, ...usageToo },
		answer: chatStreamed(
			words.map((content) => ({ content })),
			"stop",
		),
	},
	{
		name: "a call",
		url: chatUrl,
		request: chatCalls,
		answer: chatWhole(
			{
				content: null,
				tool_calls: [{ id: "call_own1", type: "function", function: { name: "weather", arguments: place.join("") } }],
			},
			"tool_calls",
		),
	},
	{
		name: "a call, streamed",
		url: chatUrl,
		request: { ...chatCalls, ...usageToo },
		answer: chatStreamed(
			[
				{ tool_calls: [{ index: 0, id: "call_own1", type: "function", function: { name: "weather", arguments: "" } }] },
				...place.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
			],
			"tool_calls",
		),
	},
	{
		name: "a key that is refused",
		url: chatUrl,
		request: chatAsked,
		status: 401,
		answer: refused("Incorrect API key provided: sk-own-*************0001.", "invalid_api_key"),
	},
	{
		name: "a model that is not there",
		url: chatUrl,
		request: chatAsked,
		status: 404,
		answer: refused("The model `gpt-4o-mini` does not exist or you do not have access to it.", "model_not_found"),
	},
]);
