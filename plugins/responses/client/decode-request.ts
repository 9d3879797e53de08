/** A client's request in neutral form. */
import {
	asBoolean,
	asCount,
	asEffort,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	exactMember,
	Fault,
	familyOf,
	isRecord,
	lookup,
	type ModelAsk,
	type NeutralRequest,
	type OutputFormat,
	type Reasoning,
	type WireRecord,
} from "#core";
import { originOf, ownBag } from "../origin.ts";
import { compactAbove, hasTrigger, summaryRequest } from "../summary-request.ts";
import { configured } from "./configuration.ts";
import { decodeConversation } from "./decode-input.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";

const summaries = lookup({ auto: "auto", concise: "concise", detailed: "detailed" } as const);

const reasoningOf = (body: WireRecord, include: readonly string[]): Reasoning | undefined => {
	const given = asRecord(body["reasoning"]);
	const effort = asEffort(given["effort"]);
	const asked = asText(given["summary"]) ?? asText(given["generate_summary"]);
	const summary = asked === undefined ? undefined : (summaries[asked] ?? "auto");
	const returnOpaque = include.includes("reasoning.encrypted_content") || undefined;
	const more = definedOnly({ summary, expose: summary && ("summary" as const), returnOpaque });
	if (effort === "none") return { mode: "off", ...more };
	if (effort !== undefined) return { mode: "on", effort, ...more };
	return Object.keys(more).length > 0 ? { mode: "default", ...more } : undefined;
};

const formatOf = (format: WireRecord): OutputFormat | undefined => {
	switch (format["type"]) {
		case "json_object":
			return { type: "json" };
		case "json_schema": {
			// Clients used to Chat Completions wrap the schema once more.
			const given = format["json_schema"] === undefined ? format : asRecord(format["json_schema"]);
			return {
				type: "schema",
				schema: given["schema"] ?? {},
				...definedOnly({
					name: asText(given["name"]),
					description: asText(given["description"]),
					strict: asBoolean(given["strict"]),
				}),
			};
		}
		default:
			return undefined;
	}
};

const identityOf = (body: WireRecord): NeutralRequest["identity"] => {
	const metadata = asRecord(body["metadata"]);
	const identity = definedOnly({
		user: asText(body["user"]),
		safetyId: asText(body["safety_identifier"]),
		metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
	});
	return Object.keys(identity).length > 0 ? identity : undefined;
};

const logprobsOf = (body: WireRecord, include: readonly string[]): NeutralRequest["logprobs"] => {
	const top = asCount(body["top_logprobs"]);
	const enabled = include.includes("message.output_text.logprobs") || (top ?? 0) > 0;
	return enabled ? { enabled, ...definedOnly({ top }) } : undefined;
};

/** Fields that have a neutral place; every other one is kept for this protocol alone. */
const placed = new Set(
	`model stream stream_options input instructions tools tool_choice parallel_tool_calls max_tool_calls temperature top_p
	top_logprobs max_output_tokens reasoning text service_tier user safety_identifier metadata prompt_cache_key
	prompt_cache_retention prompt_cache_options previous_response_id conversation store background truncation
	include`.split(/\s+/),
);

const restOf = (body: WireRecord): WireRecord => {
	const { effort: _effort, summary: _summary, generate_summary: _old, ...reasoning } = asRecord(body["reasoning"]);
	return {
		...Object.fromEntries(Object.entries(body).filter(([name, value]) => !placed.has(name) && value !== null)),
		...(Object.keys(reasoning).length > 0 && { reasoning }),
	};
};

const stateOf = (body: WireRecord, include: readonly string[]): NeutralRequest["state"] =>
	definedOnly({
		previousId: asText(body["previous_response_id"]),
		conversation: body["conversation"] ?? undefined,
		store: asBoolean(body["store"]),
		truncation: asText(body["truncation"]),
		include: include.length > 0 ? include : undefined,
	});

/** A prompt that OpenAI keeps: no other upstream has it, and its text is not ours to read. */
const refusePrompt = (body: WireRecord): void => {
	if (body["prompt"] === undefined || body["prompt"] === null) return;
	throw new Fault({
		kind: "unsupported",
		code: "unsupported_parameter",
		parameter: "prompt",
		message:
			"`prompt` names a template that OpenAI keeps, and this model runs elsewhere; send its text as `instructions` and `input`.",
	});
};

/**
 * Lenient; throws `Fault` for a prompt or an item that is kept elsewhere. An answer that the request goes on from has
 * been put before the input already (`Conversations.load`): its id is only echoed.
 */
export const decodeRequest = (ask: ModelAsk): NeutralRequest => {
	const previousId = ask.continues?.id;
	const raw = ask.body.value;
	const body = configured(raw);
	refusePrompt(body);
	const include = asList(body["include"]).filter((name) => typeof name === "string");
	const family = familyOf(ask.call.name);
	const { messages, tools: brought } = decodeConversation(body, family, ask);
	const tools = decodeTools(exactMember(ask.body, "tools"), brought, originOf(family));
	const text = asRecord(body["text"] === raw["text"] ? exactMember(ask.body, "text") : body["text"]);
	const above = compactAbove(body);
	const { context_management: managed, ...others } = restOf(body);
	const extras = above === undefined && managed !== undefined ? { ...others, context_management: managed } : others;
	const request: NeutralRequest = {
		protocol: ask.protocol.name,
		model: ask.call.name,
		stream: ask.call.stream,
		messages,
		sampling: definedOnly({
			temperature: asNumber(body["temperature"]),
			topP: asNumber(body["top_p"]),
		}),
		...definedOnly({
			tools: tools.length > 0 ? tools : undefined,
			toolChoice: decodeToolChoice(body["tool_choice"]),
			parallelTools: asBoolean(body["parallel_tool_calls"]),
			maxToolCalls: asCount(body["max_tool_calls"]),
			maxOutputTokens: asCount(body["max_output_tokens"]),
			logprobs: logprobsOf(body, include),
			reasoning: reasoningOf(body, include),
			format: formatOf(asRecord(text["format"])),
			verbosity: asText(text["verbosity"]),
			tier: asText(body["service_tier"]),
			identity: identityOf(body),
			cacheKey: asText(body["prompt_cache_key"]),
			cacheRetention: asText(body["prompt_cache_retention"]),
			cacheOptions: isRecord(body["prompt_cache_options"]) ? body["prompt_cache_options"] : undefined,
			state: stateOf(body, include),
			compactAbove: ask.call.operation === "generate" ? above : undefined,
		}),
		...(Object.keys(extras).length > 0 && { extras: ownBag(extras) }),
		raw: previousId === undefined ? raw : { ...raw, previous_response_id: previousId },
	};
	if (ask.call.operation === "compact") return summaryRequest(request, "whole");
	return hasTrigger(body["input"]) ? summaryRequest(request, "item") : request;
};
