/** A client's request as the neutral form. Lenient: what can be understood is, in whichever vendor's words it comes. */
import {
	asBoolean,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	exactMember,
	familyOf,
	isRecord,
	type ModelAsk,
	type NeutralRequest,
	type OutputFormat,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";
import { decodeMessages } from "./decode-message.ts";
import { decodeReasoningAsked, reasoningOptions } from "./decode-reasoning.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";

/** Fields that have a neutral place, or none that anyone but this gateway should see. */
const understood = new Set<string>([
	...reasoningOptions,
	...["model", "messages", "stream", "stream_options", "tools", "functions", "tool_choice", "function_call"],
	...["parallel_tool_calls", "web_search_options", "max_tokens", "max_completion_tokens", "temperature", "top_p"],
	...["top_k", "presence_penalty", "frequency_penalty", "seed", "logit_bias", "logprobs", "top_logprobs", "n", "stop"],
	...["response_format", "verbosity", "modalities", "audio", "service_tier", "user", "safety_identifier", "metadata"],
	...["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "store"],
]);

const samplingOf = (body: WireRecord): NeutralRequest["sampling"] =>
	definedOnly({
		temperature: asNumber(body["temperature"]),
		topP: asNumber(body["top_p"]),
		topK: asNumber(body["top_k"]),
		presencePenalty: asNumber(body["presence_penalty"]),
		frequencyPenalty: asNumber(body["frequency_penalty"]),
		seed: asNumber(body["seed"]),
		logitBias: biasOf(body["logit_bias"]),
	});

const biasOf = (value: unknown): Readonly<Record<string, number>> | undefined => {
	const biases = Object.entries(asRecord(value)).filter((entry): entry is [string, number] =>
		Number.isFinite(entry[1]),
	);
	return biases.length === 0 ? undefined : Object.fromEntries(biases);
};

const stopOf = (stop: unknown): readonly string[] | undefined => {
	const list = typeof stop === "string" ? [stop] : asList(stop).filter((text) => typeof text === "string");
	return list.length === 0 ? undefined : list;
};

const formatOf = (value: unknown): OutputFormat | undefined => {
	const format = asRecord(value);
	if (format["type"] === "text") return { type: "text" };
	if (format["type"] === "json_object") return { type: "json" };
	if (format["type"] !== "json_schema") return undefined;
	const { schema, name, description, strict } = asRecord(format["json_schema"]);
	if (schema === undefined || schema === null) return { type: "json" };
	return {
		type: "schema",
		schema,
		...definedOnly({ name: asText(name), description: asText(description), strict: asBoolean(strict) }),
	};
};

const modalitiesOf = (value: unknown): NeutralRequest["modalities"] => {
	const known = asList(value).filter((word) => word === "text" || word === "image" || word === "audio");
	return known.length === 0 ? undefined : known;
};

const identityOf = (body: WireRecord): NeutralRequest["identity"] => {
	const identity = definedOnly({
		user: asText(body["user"]),
		safetyId: asText(body["safety_identifier"]),
		metadata: isRecord(body["metadata"]) ? body["metadata"] : undefined,
	});
	return Object.keys(identity).length === 0 ? undefined : identity;
};

const logprobsOf = (body: WireRecord): NeutralRequest["logprobs"] =>
	body["logprobs"] === true ? { enabled: true, ...definedOnly({ top: asNumber(body["top_logprobs"]) }) } : undefined;

const extrasOf = (body: WireRecord): NeutralRequest["extras"] => {
	const rest = Object.entries(body).filter(([key, value]) => !understood.has(key) && value !== null);
	// Only this protocol's upstreams keep answers of its clients.
	if (body["store"] === true) rest.push(["store", true]);
	return rest.length === 0 ? undefined : { [protocolName]: Object.fromEntries(rest) };
};

/** Decodes the conversation and every option. Throws `Fault` for media and tools that no upstream could take. */
export const decodeRequest = ({ body: told, call, broughtBack }: ModelAsk): NeutralRequest => {
	const body = told.value;
	const family = familyOf(call.name);
	const store = asBoolean(body["store"]);
	return {
		protocol: protocolName,
		model: call.name,
		stream: call.stream,
		messages: decodeMessages(body["messages"], family, broughtBack),
		sampling: samplingOf(body),
		raw: body,
		...definedOnly({
			tools: decodeTools(told, family),
			toolChoice: decodeToolChoice(body),
			parallelTools: asBoolean(body["parallel_tool_calls"]),
			maxOutputTokens: asNumber(body["max_completion_tokens"]) ?? asNumber(body["max_tokens"]),
			stop: stopOf(body["stop"]),
			candidates: asNumber(body["n"]),
			logprobs: logprobsOf(body),
			reasoning: decodeReasoningAsked(body),
			format: formatOf(exactMember(told, "response_format")),
			verbosity: asText(body["verbosity"]),
			modalities: modalitiesOf(body["modalities"]),
			audio: body["audio"] ?? undefined,
			tier: asText(body["service_tier"]),
			identity: identityOf(body),
			cacheKey: asText(body["prompt_cache_key"]),
			cacheRetention: asText(body["prompt_cache_retention"]),
			cacheOptions: isRecord(body["prompt_cache_options"]) ? body["prompt_cache_options"] : undefined,
			state: store === undefined ? undefined : { store },
			includeUsage: asBoolean(asRecord(body["stream_options"])["include_usage"]),
			extras: extrasOf(body),
		}),
	};
};
