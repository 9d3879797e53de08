/**
 * What vendors take that refuse a request with a field they do not know. Read on the vendors' own pages:
 * docs.mistral.ai/api, console.groq.com/docs/api-reference, inference-docs.cerebras.ai/api-reference.
 */
import { asRecord, asText, effortToSend, lookup, type ModelCapabilities, type WireRecord } from "#core";

const common = [
	"model",
	"messages",
	"temperature",
	"top_p",
	"max_tokens",
	"stream",
	"stop",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"response_format",
	"reasoning_effort",
	"n",
];

const streamed = [...common, "max_completion_tokens", "stream_options", "seed", "user", "service_tier"];

const rootFields = lookup<readonly string[]>({
	mistral: [
		...common,
		"random_seed",
		"presence_penalty",
		"frequency_penalty",
		"prediction",
		"safe_prompt",
		"prompt_mode",
	],
	groq: [
		...streamed,
		"presence_penalty",
		"frequency_penalty",
		"logprobs",
		"top_logprobs",
		"include_reasoning",
		"reasoning_format",
	],
	cerebras: [...streamed, "logprobs", "top_logprobs", "prediction", "clear_thinking"],
});

const messageFields = lookup<readonly string[]>({
	system: ["role", "content"],
	user: ["role", "content"],
	assistant: ["role", "content", "tool_calls", "prefix"],
	tool: ["role", "content", "tool_call_id", "name"],
});

const callFields = ["id", "type", "function", "index"];

const only = (record: WireRecord, fields: readonly string[]): WireRecord =>
	Object.keys(record).every((name) => fields.includes(name))
		? record
		: Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)));

/** True when the vendor gives the usage of a stream when it is asked for, and not otherwise. */
export const takesStreamOptions = ({ strictFields, streamUsage, vendor }: ModelCapabilities): boolean =>
	streamUsage !== false && (strictFields !== true || (rootFields[vendor ?? ""] ?? common).includes("stream_options"));

/** A message with nothing in it that such a vendor refuses. */
export const strictMessage = (message: WireRecord): WireRecord => {
	const role = message["role"] === "developer" ? "system" : message["role"];
	const kept = only({ ...message, role }, messageFields[asText(role) ?? ""] ?? ["role", "content"]);
	const calls = kept["tool_calls"];
	if (!Array.isArray(calls)) return kept;
	return { ...kept, tool_calls: calls.map((call) => only(asRecord(call), callFields)) };
};

/** The effort that the model takes for the one that is asked; undefined where it takes none. */
const effortFor = (asked: unknown, capabilities: ModelCapabilities): unknown =>
	capabilities.thinking === "none" || asked === null ? undefined : effortToSend(asked, capabilities);

const isSaid = (value: unknown): boolean => {
	if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
	return value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
};

/** What says the same where it is left out: defaults in words, and how a stream is framed. */
const isDefault = (name: string, value: unknown): boolean =>
	name === "stream_options" ||
	(name === "service_tier" && (value === "auto" || value === "default")) ||
	(name === "reasoning_effort" && value === "none");

/** The fields of a record that say something and that the changed record no longer has. */
export const fieldsLost = (before: WireRecord, after: WireRecord): readonly string[] =>
	Object.keys(before).filter(
		(name) => after[name] === undefined && isSaid(before[name]) && !isDefault(name, before[name]),
	);

const newNames = lookup<string>({ seed: "random_seed", max_completion_tokens: "max_tokens" });

/** The fields of a body's root that the edits leave out and that go by no other name. */
export const rootFieldsLost = (body: WireRecord, edits: WireRecord): readonly string[] =>
	fieldsLost(body, { ...body, ...edits }).filter((name) => edits[newNames[name] ?? ""] === undefined);

/** The edits of a body's root: what is not taken leaves it, what has another name there gets that. */
export const strictEdits = (body: WireRecord, capabilities: ModelCapabilities): Record<string, unknown> => {
	const fields = rootFields[capabilities.vendor ?? ""] ?? common;
	const edits: Record<string, unknown> = {};
	const limit = body["max_completion_tokens"];
	if (capabilities.maxTokensField === "max_tokens" && typeof limit === "number") edits["max_tokens"] = limit;
	if (fields.includes("random_seed") && body["seed"] !== undefined) edits["random_seed"] = body["seed"];
	for (const name of Object.keys(body)) if (!fields.includes(name)) edits[name] = undefined;
	if (body["max_completion_tokens"] !== undefined && edits["max_tokens"] !== undefined)
		edits["max_completion_tokens"] = undefined;
	const { reasoning_effort: asked } = body;
	if (asked !== undefined) {
		const effort = effortFor(asked, capabilities);
		if (effort !== asked) edits["reasoning_effort"] = effort;
	}
	return edits;
};
