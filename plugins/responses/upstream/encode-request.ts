/** A neutral request for an upstream that speaks this protocol. Nothing is kept there: Portico holds conversations itself. */
import {
	definedOnly,
	type EncodeContext,
	type EncodedRequest,
	type NeutralRequest,
	refusesSampling,
	type Setting,
	type WireRecord,
} from "#core";
import { answersAnew, beginsAnswer, tierOf, userFor } from "../../chat-completions/service.ts";
import { ownFields } from "../origin.ts";
import { encodeText, spokenFormat } from "./encode-format.ts";
import { encodeInput } from "./encode-input.ts";
import { encodeReasoning, wantsEncrypted } from "./encode-reasoning.ts";
import { encodeTools } from "./encode-tools.ts";
import { beginWriting, type Writing } from "./writing.ts";

/** The least limit on output that the protocol knows; a smaller one is refused as a mistake. */
const leastOutput = 16;

const limitOf = (writing: Writing): number | undefined => {
	const { maxOutputTokens: asked } = writing.request;
	if (asked === undefined) return undefined;
	if (asked < leastOutput) {
		writing.losses.setting("maxOutputTokens", `the upstream takes no limit under ${leastOutput}`);
		return leastOutput;
	}
	return Math.min(asked, writing.context.capabilities.maxOutput ?? asked);
};

/** Notes the settings that this protocol has no field for. */
const loseSettings = (writing: Writing): void => {
	const { sampling, stop, candidates = 1 } = writing.request;
	const { temperature: _temperature, topP: _topP, ...absent } = sampling;
	const given = { ...absent, stop, candidates: candidates > 1 ? candidates : undefined };
	for (const setting of Object.keys(definedOnly(given)) as (keyof typeof given)[]) {
		const isPenalty = setting === "presencePenalty" || setting === "frequencyPenalty";
		if (isPenalty && given[setting] === 0) continue;
		writing.losses.setting(setting, "the upstream has no such setting");
	}
};

/** Whether probabilities of tokens are asked for: a model that samples in its own way refuses to tell them. */
const tellsProbabilities = ({ request, context }: Writing): boolean =>
	request.logprobs?.enabled === true && !refusesSampling(context.capabilities, request.reasoning);

const encodeSampling = (writing: Writing): WireRecord => {
	const { sampling, logprobs, reasoning } = writing.request;
	const { capabilities } = writing.context;
	const fields: Record<string, unknown> = { temperature: sampling.temperature, top_p: sampling.topP };
	const drop = (name: string, setting: Setting, reason: string): void => {
		const given = fields[name];
		fields[name] = undefined;
		// 1 is what the model does anyway.
		if (given !== undefined && given !== 1) writing.losses.setting(setting, reason);
	};
	if (refusesSampling(capabilities, reasoning)) {
		drop("temperature", "temperature", "the model refuses it");
		drop("top_p", "topP", "the model refuses it");
		if (logprobs?.enabled === true) writing.losses.setting("logprobs", "the model refuses it");
	} else if (capabilities.temperatureOrTopP === true && sampling.temperature !== undefined)
		drop("top_p", "topP", "the model takes temperature or top_p, not both");
	return definedOnly({ ...fields, top_logprobs: tellsProbabilities(writing) ? logprobs?.top : undefined });
};

const encodeTier = (writing: Writing): string | undefined => {
	const { tier } = writing.request;
	if (tier === undefined || writing.sameProtocol) return tier;
	return tierOf(tier, writing.losses);
};

/** Labels as this protocol takes them: texts only. */
const encodeMetadata = (writing: Writing): WireRecord | undefined => {
	const { metadata } = writing.request.identity ?? {};
	if (metadata === undefined) return undefined;
	const entries = Object.entries(metadata).filter(([, value]) => typeof value === "string");
	if (entries.length < Object.keys(metadata).length)
		writing.losses.setting("metadata", "the upstream takes only texts");
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
};

const encodeIdentity = (writing: Writing): WireRecord => {
	const { identity, cacheKey, cacheRetention, cacheOptions } = writing.request;
	const known = writing.openai && (cacheRetention === "in_memory" || cacheRetention === "24h");
	if (cacheRetention !== undefined && !known)
		writing.losses.setting("cacheRetention", "the upstream decides how long it caches");
	const takesOptions = writing.sameProtocol || writing.openai;
	if (cacheOptions !== undefined && !takesOptions)
		writing.losses.setting("cacheOptions", "the upstream caches by itself");
	return definedOnly({
		user: writing.sameProtocol ? identity?.user : userFor(identity?.user),
		safety_identifier: userFor(identity?.safetyId),
		metadata: encodeMetadata(writing),
		prompt_cache_key: cacheKey,
		prompt_cache_retention: known ? cacheRetention : undefined,
		prompt_cache_options: takesOptions ? cacheOptions : undefined,
	});
};

const encodeInclude = (writing: Writing): readonly string[] | undefined => {
	const asked = writing.sameProtocol ? (writing.request.state?.include ?? []) : [];
	const include = new Set(asked);
	if (wantsEncrypted(writing)) include.add("reasoning.encrypted_content");
	else include.delete("reasoning.encrypted_content");
	if (tellsProbabilities(writing)) include.add("message.output_text.logprobs");
	else if (writing.request.logprobs?.enabled === true) include.delete("message.output_text.logprobs");
	return include.size > 0 ? [...include] : undefined;
};

/** What the client asked for that has no field here and stands in no message. */
const loseRest = (writing: Writing): void => {
	const { request, losses } = writing;
	loseSettings(writing);
	if (beginsAnswer(writing)) losses.setting("messages", answersAnew);
	if (request.modalities?.includes("audio")) losses.setting("modalities", "the upstream makes no sound here");
	if (request.modalities?.includes("image")) losses.setting("modalities", "the upstream makes pictures only by a tool");
	if (!writing.sameProtocol && request.audio !== undefined) losses.setting("audio", "the upstream makes no sound here");
	if (!writing.sameProtocol && request.image !== undefined)
		losses.setting("image", "the upstream makes pictures only by a tool");
	if (request.safety !== undefined && request.safety.length > 0)
		losses.setting("safety", "the upstream has no such settings");
};

/** Members that counting tokens takes; it refuses the others. */
const counted = new Set(
	"model input instructions tools tool_choice parallel_tool_calls text reasoning truncation".split(" "),
);

const countBody = (body: WireRecord): WireRecord =>
	Object.fromEntries(Object.entries(body).filter(([name]) => counted.has(name)));

/** The request's body with what was lost on the way. */
export const encodeRequest = (request: NeutralRequest, context: EncodeContext): EncodedRequest => {
	const writing = beginWriting(request, context);
	const { instructions, items } = encodeInput(writing);
	const { tools, ...choice } = encodeTools(writing);
	const spoken = spokenFormat(request);
	const input = spoken === undefined ? items : [...items, { role: "developer", content: spoken }];
	const body: WireRecord = {
		...(writing.sameProtocol ? ownFields(request) : {}),
		model: context.model,
		...definedOnly({ instructions }),
		input,
		...definedOnly({
			tools,
			...choice,
			reasoning: encodeReasoning(writing),
			text: encodeText(writing),
			max_output_tokens: limitOf(writing),
		}),
		...encodeSampling(writing),
		...definedOnly({
			service_tier: encodeTier(writing),
			truncation: request.state?.truncation,
			include: encodeInclude(writing),
		}),
		...encodeIdentity(writing),
		store: false,
		...(request.stream && { stream: true }),
	};
	loseRest(writing);
	return {
		body: context.operation === "count_tokens" ? countBody(body) : body,
		losses: writing.losses.list(),
		names: { tools: writing.names.changed },
	};
};
