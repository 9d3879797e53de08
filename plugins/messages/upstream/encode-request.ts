/** A neutral request for an upstream that speaks Messages. Strict: only what the protocol and the model take. */
import {
	asRecord,
	definedOnly,
	type EncodeContext,
	type EncodedRequest,
	isRecord,
	Losses,
	lookup,
	type ModelCapabilities,
	type NeutralRequest,
	plainNames,
	ToolNames,
	type WireRecord,
} from "#core";
import { cacheMember, type Encoding } from "../encode-content.ts";
import { protocolName, protocolVersion } from "../name.ts";
import { boundThinking } from "./bound-thinking.ts";
import { encodeReasoning, encodeSampling } from "./encode-reasoning.ts";
import { encodeToolChoice, encodeTools, isForced, toolsOfHistory } from "./encode-tools.ts";
import { callsWithoutThinking, encodeConversation, endTurns, type Turn } from "./encode-turns.ts";
import { StrictRoom } from "./strict-limits.ts";
import { answerToolOf, type EncodedFormat, encodeFormat } from "./structured.ts";

const toolNames = plainNames(128);

const mostMarks = 4;

const countMarks = ({ cache, messages, tools = [] }: NeutralRequest): number => {
	let marks = cache ? 1 : 0;
	for (const tool of tools) if (tool.cache) marks++;
	for (const { blocks } of messages) for (const block of blocks) if (block.cache) marks++;
	return marks;
};

const reasonless = (value: unknown): boolean =>
	value === undefined || value === 0 || value === false || (isRecord(value) && Object.keys(value).length === 0);

/** Fields of other protocols that have no place here. */
const noteUnsupported = (request: NeutralRequest, losses: Losses): void => {
	const { sampling, modalities = ["text"] } = request;
	const unsupported = {
		presencePenalty: sampling.presencePenalty,
		frequencyPenalty: sampling.frequencyPenalty,
		seed: sampling.seed === undefined ? undefined : true,
		logitBias: sampling.logitBias,
		candidates: (request.candidates ?? 1) > 1,
		logprobs: request.logprobs?.enabled,
		verbosity: request.verbosity,
		modalities: modalities.some((modality) => modality !== "text"),
		audio: request.audio,
		image: request.image,
		maxToolCalls: request.maxToolCalls,
		cacheKey: request.cacheKey,
		cacheRetention: request.cacheRetention,
		cacheOptions: request.cacheOptions !== undefined,
		truncation: request.state?.truncation === "auto",
		background: request.state?.background,
		metadata: request.identity?.metadata,
		// Of two words for who asks, one has a place.
		safetyId: request.identity?.user === undefined ? undefined : request.identity.safetyId,
		safety: request.safety && request.safety.length > 0,
	};
	for (const setting of Object.keys(unsupported) as (keyof typeof unsupported)[])
		if (!reasonless(unsupported[setting])) losses.setting(setting, "the upstream's protocol has no such setting");
};

const stopsOf = ({ stop = [] }: NeutralRequest, losses: Losses): readonly string[] | undefined => {
	const kept = stop.filter((text) => text.trim() !== "");
	if (kept.length < stop.length) losses.setting("stop", "the upstream refuses stop sequences of white space alone");
	return kept.length === 0 ? undefined : kept;
};

const tiers = lookup<string>({
	auto: "auto",
	priority: "auto",
	default: "standard_only",
	standard: "standard_only",
	standard_only: "standard_only",
});

const tierOf = ({ tier }: NeutralRequest, losses: Losses): string | undefined => {
	if (tier === undefined) return undefined;
	if (tiers[tier] === undefined) losses.setting("tier", `the upstream has no tier "${tier}"`);
	return tiers[tier];
};

/** Whether the model is to find thinking beside its calls, and asks for no signature on it. */
const takesUnsigned = ({ reasoning }: NeutralRequest, { reasoningWithCalls }: ModelCapabilities): boolean =>
	reasoningWithCalls === true && reasoning?.mode !== "off" && reasoning?.effort !== "none";

/** How the tool that holds a structured answer joins the client's tools. */
interface Joining {
	readonly tool: WireRecord;
	/** Nothing may be forced. */
	readonly free: boolean;
	/** The client asked for several calls at once. */
	readonly parallel: boolean;
}

/** Tools with the one that holds a structured answer, and the choice that goes with them. */
const withAnswerTool = (
	tools: readonly WireRecord[],
	choice: WireRecord | undefined,
	{ tool, free, parallel }: Joining,
): { readonly tools: readonly WireRecord[]; readonly choice: WireRecord | undefined } => {
	const all = [...tools, tool];
	if (free || choice !== undefined) return { tools: all, choice };
	// One call: an answer beside another call would be given before that call's result.
	const single = parallel && tools.length > 0 ? {} : { disable_parallel_tool_use: true };
	if (tools.length > 0) return { tools: all, choice: { type: "any", ...single } };
	return { tools: all, choice: { type: "tool", name: tool["name"], ...single } };
};

const hindranceOf = (turns: readonly Turn[], choice: WireRecord | undefined): string | undefined => {
	if (isForced(choice)) return "the model does not think when a tool call is forced";
	return callsWithoutThinking(turns)
		? "the model does not think amid tool calls that it began without thinking of its own"
		: undefined;
};

const instructed = (system: readonly WireRecord[], { instruction }: EncodedFormat): readonly WireRecord[] =>
	instruction === undefined ? system : [...system, { type: "text", text: instruction }];

const list = <T>(values: readonly T[]): readonly T[] | undefined => (values.length === 0 ? undefined : values);

const metadataOf = ({ identity, extras }: NeutralRequest): WireRecord | undefined => {
	const user = identity?.user ?? identity?.safetyId;
	const own = asRecord(extras?.[protocolName]?.["metadata"]);
	return user === undefined && Object.keys(own).length === 0
		? undefined
		: { ...own, ...definedOnly({ user_id: user }) };
};

const outputConfig = (effort: string | undefined, { format }: EncodedFormat, own: unknown): WireRecord | undefined => {
	const config = { ...asRecord(own), ...definedOnly({ effort, format }) };
	return Object.keys(config).length === 0 ? undefined : config;
};

export const encodeRequest = (request: NeutralRequest, context: EncodeContext): EncodedRequest => {
	const { capabilities, family, model } = context;
	const losses = new Losses();
	const names = new ToolNames(request.tools, toolNames);
	const encoding: Encoding = {
		family,
		losses,
		names,
		imagesInToolResults: capabilities.imagesInToolResults !== false,
		unsignedThinking: takesUnsigned(request, capabilities),
		betas: new Set(),
		marksToSkip: Math.max(0, countMarks(request) - mostMarks),
	};
	if (request.format?.type === "enum")
		losses.setting("format", "the upstream cannot be held to a list of words; it is asked for one of them");
	const room = new StrictRoom();
	const format = encodeFormat(request, capabilities.nativeSchema === false ? undefined : room, losses);
	const defined = encodeTools(request, capabilities.strictTools === false ? undefined : room, encoding);
	const { system, turns } = encodeConversation(request.messages, capabilities, encoding);
	const remembered = defined.length === 0 && !format.tool ? toolsOfHistory(turns) : [];
	const asked = defined.length === 0 ? undefined : encodeToolChoice(request, capabilities, encoding);
	const choice = remembered.length > 0 ? { type: "none" } : asked;
	const hindrance = hindranceOf(turns, choice);
	const reasoning = encodeReasoning(request, { capabilities, losses, hindrance });
	const plain = { tools: [...defined, ...remembered], choice };
	const free = reasoning.budgeted || capabilities.forcedCalls === false;
	const parallel = request.parallelTools === true;
	const picked = format.tool ? withAnswerTool(defined, choice, { tool: format.tool, free, parallel }) : plain;
	const thinks = reasoning.budgeted || reasoning.thinking?.["type"] === "adaptive";
	const thinking = boundThinking(reasoning.thinking, turns, capabilities, encoding);
	const own: WireRecord = request.extras?.[protocolName] ?? {};
	noteUnsupported(request, losses);
	const prefill = capabilities.prefill !== false && !reasoning.budgeted;
	const prompt = {
		model,
		...definedOnly({ system: list(instructed(system, format)) }),
		messages: endTurns(turns, prefill, encoding),
		...definedOnly({
			tools: list(picked.tools),
			tool_choice: picked.choice,
			thinking,
			output_config: outputConfig(reasoning.effort, format, own["output_config"]),
			...cacheMember(request, encoding),
		}),
	};
	const making = definedOnly({
		max_tokens: reasoning.maxTokens,
		...encodeSampling(request, capabilities, thinks, losses),
		stop_sequences: stopsOf(request, losses),
		metadata: metadataOf(request),
		service_tier: tierOf(request, losses),
		stream: request.stream || undefined,
	});
	return {
		// Tokens are counted of the prompt alone; the count refuses to hear of the answer.
		body: context.operation === "count_tokens" ? prompt : { ...own, ...prompt, ...making },
		headers: {
			"anthropic-version": protocolVersion,
			...(encoding.betas.size > 0 && { "anthropic-beta": [...encoding.betas].join(",") }),
		},
		losses: losses.list(),
		names: { tools: names.changed, ...definedOnly({ answer: answerToolOf(format, request) }) },
	};
};
