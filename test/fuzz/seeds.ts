/** What fuzzing starts from: recorded exchanges where they are there, and a few of our own that use much of each protocol. */

import { answers } from "../soak/answers.ts";
import { type ProtocolName, protocolNames, type Recording, recordings } from "../support/recordings.ts";

export interface Seeds {
	/** Requests as JSON text, without a model. */
	readonly requests: readonly string[];
	/** Whole answers as JSON text. */
	readonly answers: readonly string[];
	/** Streams of server-sent events. */
	readonly streams: readonly string[];
}

/** Longer ones would make tries slow without making them stranger. */
const longest = 60_000;

const text = "Hello";
const tool = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const picture = "iVBORw0KGgo=";

const own: Readonly<Record<ProtocolName, object>> = {
	"chat-completions": {
		messages: [
			{ role: "system", content: "Be brief." },
			{
				role: "user",
				content: [
					{ type: "text", text },
					{ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
				],
			},
			{
				role: "assistant",
				content: null,
				tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"x"}' } }],
			},
			{ role: "tool", tool_call_id: "c1", content: "sunny" },
		],
		tools: [{ type: "function", function: { name: "weather", parameters: tool } }],
		response_format: { type: "json_schema", json_schema: { name: "a", schema: tool } },
		max_tokens: 10,
		temperature: 0.5,
		stop: ["x"],
	},
	responses: {
		instructions: "Be brief.",
		input: [
			{ role: "user", content: [{ type: "input_text", text }] },
			{ type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
			{ type: "function_call_output", call_id: "c1", output: "sunny" },
		],
		tools: [{ type: "function", name: "weather", parameters: tool }],
		reasoning: { effort: "low" },
		max_output_tokens: 20,
	},
	messages: {
		max_tokens: 2048,
		system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
		messages: [
			{
				role: "user",
				content: [
					{ type: "text", text },
					{ type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
				],
			},
			{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: { city: "x" } }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "sunny" }] },
		],
		tools: [{ name: "weather", input_schema: tool }],
		thinking: { type: "enabled", budget_tokens: 1024 },
	},
	"generate-content": {
		systemInstruction: { parts: [{ text: "Be brief." }] },
		contents: [
			{ role: "user", parts: [{ text }, { inlineData: { mimeType: "image/png", data: picture } }] },
			{ role: "model", parts: [{ functionCall: { name: "weather", args: { city: "x" } } }] },
			{ role: "user", parts: [{ functionResponse: { name: "weather", response: { sky: "sunny" } } }] },
		],
		tools: [{ functionDeclarations: [{ name: "weather", parameters: tool }] }],
		generationConfig: { maxOutputTokens: 20, temperature: 0.3, stopSequences: ["x"] },
	},
};

const fits = (each: string): boolean => each.length < longest;

const seedsOf = (protocol: ProtocolName, recorded: readonly Recording[]): Seeds => {
	const { whole, stream } = answers[protocol];
	const told = recorded.map(({ answer }) => answer);
	const isAsked = ({ request }: Recording): boolean =>
		["messages", "input", "contents"].some((name) => request?.[name] !== undefined);
	return {
		requests: [
			JSON.stringify(own[protocol]),
			...recorded
				.filter(isAsked)
				.map(({ request }) => JSON.stringify({ ...request, model: undefined, stream: undefined })),
		].filter(fits),
		answers: [
			whole,
			...told.flatMap((answer) => (answer.form === "json" ? [JSON.stringify(answer.value)] : [])),
		].filter(fits),
		streams: [
			stream.first + stream.words.join("") + stream.last,
			...told.flatMap((answer) => (answer.form === "events" ? [answer.text] : [])),
		].filter(fits),
	};
};

/** Read once: there are thousands. */
export const readSeeds = (): Readonly<Record<ProtocolName, Seeds>> => {
	const of = (protocol: ProtocolName): Seeds => seedsOf(protocol, recordings(protocol));
	const [chat, responses, messages, generate] = protocolNames;
	return { [chat]: of(chat), [responses]: of(responses), [messages]: of(messages), [generate]: of(generate) };
};
