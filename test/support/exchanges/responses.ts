/** Our own exchanges in responses. */
import type { RecordedAnswer } from "../recordings.ts";
import { description, json, listed, named, place, question, refused, schema, thoughts, words } from "./said.ts";

interface TypedEvent {
	readonly type: string;
	readonly [field: string]: unknown;
}

const responsesUrl = "https://api.openai.com/v1/responses";
const responsesAsked = { model: "gpt-4o-mini", instructions: "Be brief.", input: question };
const responsesCalls = {
	model: "o4-mini",
	reasoning: { effort: "low", summary: "auto" },
	input: [{ type: "message", role: "user", content: "What is the weather in Cuxhaven?" }],
	tools: [{ type: "function", name: "weather", description, parameters: schema, strict: false }],
};
const response = (request: Readonly<Record<string, unknown>>, status: string, output: readonly object[]) => ({
	id: "resp_own1",
	object: "response",
	created_at: 1_780_000_000,
	status,
	background: false,
	error: null,
	incomplete_details: null,
	instructions: request["instructions"] ?? null,
	max_output_tokens: null,
	model: String(request["model"]),
	output,
	parallel_tool_calls: true,
	previous_response_id: null,
	reasoning: request["reasoning"] ?? { effort: null, summary: null },
	store: true,
	temperature: 1,
	text: { format: { type: "text" } },
	tool_choice: "auto",
	tools: request["tools"] ?? [],
	top_p: 1,
	truncation: "disabled",
	usage:
		status === "completed"
			? {
					input_tokens: 19,
					input_tokens_details: { cached_tokens: 0 },
					output_tokens: 14,
					output_tokens_details: { reasoning_tokens: 0 },
					total_tokens: 33,
				}
			: null,
	user: null,
	metadata: {},
});
const textPart = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });
const messageItem = (status: string, content: readonly object[]) => ({
	id: "msg_own1",
	type: "message",
	status,
	content,
	role: "assistant",
});
const callItem = (status: string, given: string) => ({
	id: "fc_own1",
	type: "function_call",
	status,
	arguments: given,
	call_id: "call_own1",
	name: "weather",
});
const responsesStreamed = (
	request: Readonly<Record<string, unknown>>,
	item: (status: string) => object,
	within: readonly TypedEvent[],
): RecordedAnswer =>
	named(
		[
			{ type: "response.created", response: response(request, "in_progress", []) },
			{ type: "response.in_progress", response: response(request, "in_progress", []) },
			{ type: "response.output_item.added", output_index: 0, item: item("in_progress") },
			...within,
			{ type: "response.output_item.done", output_index: 0, item: item("completed") },
			{ type: "response.completed", response: response(request, "completed", [item("completed")]) },
		].map((event, at) => ({ ...event, sequence_number: at })),
	);
const inMessage = { item_id: "msg_own1", output_index: 0, content_index: 0 };
const inCall = { item_id: "fc_own1", output_index: 0 };

export const responses = listed("responses", [
	{
		name: "words",
		url: responsesUrl,
		request: responsesAsked,
		answer: json(response(responsesAsked, "completed", [messageItem("completed", [textPart(words.join(""))])])),
	},
	{
		name: "words, streamed",
		url: responsesUrl,
		request: { ...responsesAsked, stream: true },
		answer: responsesStreamed(
			responsesAsked,
			(status) => messageItem(status, status === "completed" ? [textPart(words.join(""))] : []),
			[
				{ type: "response.content_part.added", ...inMessage, part: textPart("") },
				...words.map((delta) => ({ type: "response.output_text.delta", ...inMessage, delta, logprobs: [] })),
				{ type: "response.output_text.done", ...inMessage, text: words.join(""), logprobs: [] },
				{ type: "response.content_part.done", ...inMessage, part: textPart(words.join("")) },
			],
		),
	},
	{
		name: "thoughts and a call",
		url: responsesUrl,
		request: responsesCalls,
		answer: json(
			response(responsesCalls, "completed", [
				{ id: "rs_own1", type: "reasoning", summary: [{ type: "summary_text", text: thoughts.join("") }] },
				callItem("completed", place.join("")),
			]),
		),
	},
	{
		name: "a call, streamed",
		url: responsesUrl,
		request: { ...responsesCalls, stream: true },
		answer: responsesStreamed(
			responsesCalls,
			(status) => callItem(status, status === "completed" ? place.join("") : ""),
			[
				...place.map((delta) => ({ type: "response.function_call_arguments.delta", ...inCall, delta })),
				{ type: "response.function_call_arguments.done", ...inCall, arguments: place.join(""), name: "weather" },
			],
		),
	},
	{
		name: "a key that is refused",
		url: responsesUrl,
		request: responsesAsked,
		status: 401,
		answer: refused("Incorrect API key provided: sk-own-*************0001.", "invalid_api_key"),
	},
]);
