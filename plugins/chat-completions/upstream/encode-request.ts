/** A neutral request for an upstream that speaks Chat Completions. Strict: only what the protocol and the model know. */
import {
	definedOnly,
	type EncodeContext,
	type EncodedRequest,
	lookup,
	type NeutralRequest,
	refusesSampling,
	type Setting,
	ToolNames,
	type WireRecord,
} from "#core";
import { cacheOptionsOf } from "../cache-marks.ts";
import { fitRequest, instructed, mayNeedFitting } from "../fit-request.ts";
import { historyFor, thinksNot } from "../history.ts";
import { limitField } from "../limit-fields.ts";
import { answersAnew, beginsAnswer, tierOf, toolNames, userFor } from "../openai.ts";
import { rootFieldsLost, strictEdits, takesStreamOptions } from "../strict-fields.ts";
import { encodeFormat } from "./encode-format.ts";
import { encodeMessages } from "./encode-message.ts";
import { encodeReasoning } from "./encode-reasoning.ts";
import { encodeTools } from "./encode-tools.ts";
import { beginWriting, ownExtras, type Writing } from "./target.ts";

const mostStops = 4;

const limitOf = ({ request, context }: Writing): WireRecord => {
	const { maxOutput } = context.capabilities;
	const asked = request.maxOutputTokens;
	if (asked === undefined) return {};
	return { [limitField(context.capabilities)]: maxOutput === undefined ? asked : Math.min(asked, maxOutput) };
};

const samplingFields = (writing: Writing): Record<string, unknown> => {
	const { sampling, logprobs } = writing.request;
	return {
		temperature: sampling.temperature,
		top_p: sampling.topP,
		presence_penalty: sampling.presencePenalty,
		frequency_penalty: sampling.frequencyPenalty,
		logit_bias: sampling.logitBias,
		...(logprobs?.enabled === true ? { logprobs: true, top_logprobs: logprobs.top } : {}),
	};
};

/** The fields that a model which samples in its own way refuses, and the value that says nothing. */
const refusable: readonly (readonly [name: string, setting: Setting, harmless?: number])[] = [
	["temperature", "temperature", 1],
	["top_p", "topP", 1],
	["presence_penalty", "presencePenalty", 0],
	["frequency_penalty", "frequencyPenalty", 0],
	["logit_bias", "logitBias"],
	["logprobs", "logprobs"],
	["top_logprobs", "logprobs"],
];

/** Those of them that a model refuses which takes the others as long as it does not think. */
const bent: ReadonlySet<string> = new Set(["presence_penalty", "frequency_penalty", "logit_bias"]);

const encodeSampling = (writing: Writing): WireRecord => {
	const { sampling, reasoning } = writing.request;
	const { capabilities } = writing.context;
	const { samplingRefused = false, temperatureOrTopP } = capabilities;
	const fields = samplingFields(writing);
	const drop = (name: string, setting: Setting, reason: string, harmless?: number): void => {
		const given = fields[name];
		fields[name] = undefined;
		if (given !== undefined && given !== harmless) writing.losses.setting(setting, reason);
	};
	const isRefused = refusesSampling(capabilities, reasoning);
	if (samplingRefused !== false)
		for (const [name, setting, harmless] of refusable)
			if (isRefused || bent.has(name)) drop(name, setting, "the model refuses it", harmless);
	if (temperatureOrTopP === true && fields["temperature"] !== undefined)
		drop("top_p", "topP", "the model takes temperature or top_p, not both", 1);
	if (sampling.topK !== undefined && !writing.sameProtocol)
		writing.losses.setting("topK", "the upstream has no such setting");
	const topK = writing.sameProtocol ? sampling.topK : undefined;
	return { ...fields, seed: sampling.seed, top_k: topK };
};

const encodeStop = (writing: Writing): readonly string[] | undefined => {
	const { stop } = writing.request;
	if (stop !== undefined && writing.context.capabilities.stopRefused === true) {
		writing.losses.setting("stop", "the model refuses it");
		return undefined;
	}
	if (stop === undefined || stop.length <= mostStops || !writing.openai) return stop;
	writing.losses.setting("stop", `the upstream takes ${mostStops} stop sequences, ${stop.length} were given`);
	return stop.slice(0, mostStops);
};

const encodeTier = (writing: Writing): string | undefined => {
	const { tier } = writing.request;
	if (tier === undefined || writing.sameProtocol) return tier;
	const known = tierOf(tier, writing.losses);
	if (writing.openai) return known;
	if (known !== undefined && known !== "auto" && known !== "default")
		writing.losses.setting("tier", "the upstream has no such tier");
	return undefined;
};

/** The end user of the call. Other vendors refuse fields that only OpenAI knows; OpenAI keeps metadata with stored answers only. */
const encodeIdentity = (writing: Writing): WireRecord => {
	const { identity, state } = writing.request;
	const { sameProtocol, openai } = writing;
	const store = sameProtocol ? state?.store : undefined;
	const metadata = identity?.metadata;
	const keepsMetadata = sameProtocol || store === true;
	if (identity?.safetyId !== undefined && !sameProtocol && !openai)
		writing.losses.setting("safetyId", "the upstream has no such field");
	if (metadata !== undefined && !keepsMetadata)
		writing.losses.setting("metadata", "the upstream keeps none with this call");
	return {
		user: sameProtocol ? identity?.user : userFor(identity?.user),
		safety_identifier: sameProtocol ? identity?.safetyId : openai ? userFor(identity?.safetyId) : undefined,
		metadata: keepsMetadata ? metadata : undefined,
		store,
	};
};

const encodeCaching = (writing: Writing): WireRecord => {
	const { request, sameProtocol, openai, losses } = writing;
	const { cacheKey, cacheRetention, cacheOptions } = request;
	const takesKey = sameProtocol || openai;
	const takesRetention = sameProtocol || (openai && (cacheRetention === "in_memory" || cacheRetention === "24h"));
	if (cacheKey !== undefined && !takesKey) losses.setting("cacheKey", "the upstream caches by itself");
	if (cacheRetention !== undefined && !takesRetention)
		losses.setting("cacheRetention", "the upstream decides how long it caches");
	if (cacheOptions !== undefined && !takesKey) losses.setting("cacheOptions", "the upstream caches by itself");
	return {
		prompt_cache_key: takesKey ? cacheKey : undefined,
		prompt_cache_retention: takesRetention ? cacheRetention : undefined,
		prompt_cache_options: sameProtocol ? cacheOptions : openai ? cacheOptionsOf(writing) : undefined,
	};
};

/** Sound is asked for in the words of the client's protocol, which only the same protocol understands. */
const encodeOutput = (writing: Writing): WireRecord => {
	const { request, sameProtocol, openai, reasoner } = writing;
	const { modalities, audio, verbosity } = request;
	if (sameProtocol) return { modalities, audio, verbosity };
	if (modalities?.some((word) => word !== "text") === true)
		writing.losses.setting("modalities", "the upstream is asked for text only");
	if (verbosity === undefined) return {};
	if (openai && reasoner) return { verbosity };
	writing.losses.setting("verbosity", "the model has no such setting");
	return {};
};

const reportForeign = (writing: Writing): void => {
	const { request, sameProtocol, losses } = writing;
	if (sameProtocol) return;
	if (beginsAnswer(writing)) losses.setting("messages", answersAnew);
	if ((request.safety?.length ?? 0) > 0) losses.setting("safety", "the upstream has its own");
	if (request.state?.previousId !== undefined) losses.setting("previousId", "the upstream keeps no conversations");
	if (request.state?.background === true) losses.setting("background", "the upstream answers at once");
	if (request.state?.truncation === "auto") losses.setting("truncation", "the upstream cuts nothing off by itself");
	if (request.audio !== undefined) losses.setting("audio", "the upstream is asked for text only");
	if (request.image !== undefined) losses.setting("image", "the upstream is asked for text only");
};

/** What is lost when a vendor does not take the field. */
const strictLosses = lookup<Setting>({
	user: "user",
	seed: "seed",
	presence_penalty: "presencePenalty",
	frequency_penalty: "frequencyPenalty",
	logit_bias: "logitBias",
	logprobs: "logprobs",
	service_tier: "tier",
	n: "candidates",
	verbosity: "verbosity",
	reasoning_effort: "reasoning",
});

const makeStrict = (body: Record<string, unknown>, { context, losses }: Writing): void => {
	const edits = strictEdits(body, context.capabilities);
	for (const name of rootFieldsLost(body, edits)) {
		const setting = strictLosses[name];
		if (setting) losses.setting(setting, "the vendor refuses it");
	}
	Object.assign(body, edits);
};

/** Makes the body one that a vendor takes who refuses some of what it knows; gives what is to be said in words instead. */
const fit = (body: Record<string, unknown>, { context, losses }: Writing): string | undefined => {
	const { edits, lost, instruction } = fitRequest(body, context.capabilities);
	Object.assign(body, edits);
	for (const { setting, reason } of lost) losses.setting(setting, reason);
	return instruction;
};

/**
 * Encodes the conversation and every option the protocol has a place for; the rest is reported as lost. Options that are not
 * given are undefined until the body is whole.
 */
export const encodeRequest = (request: NeutralRequest, context: EncodeContext): EncodedRequest => {
	const writing = beginWriting(request, context);
	const { capabilities, family } = context;
	const names = new ToolNames(request.tools, toolNames);
	const messages = encodeMessages(names, writing);
	const { response_format, instruction } = encodeFormat(writing);
	reportForeign(writing);
	const body: Record<string, unknown> = {
		model: context.model,
		...encodeTools(names, writing),
		...limitOf(writing),
		...encodeSampling(writing),
		stop: encodeStop(writing),
		n: request.candidates,
		response_format,
		service_tier: encodeTier(writing),
		...encodeReasoning(writing),
		...encodeIdentity(writing),
		...encodeCaching(writing),
		...encodeOutput(writing),
		...ownExtras(request),
		...(request.stream && { stream: true }),
		...(request.stream && takesStreamOptions(capabilities) && { stream_options: { include_usage: true } }),
	};
	const fitting = mayNeedFitting(capabilities) ? fit(body, writing) : undefined;
	const told = fitting ?? instruction;
	const said = told === undefined ? messages : instructed(messages, told);
	body["messages"] = historyFor(said, { capabilities, family, thinksNot: thinksNot(body) });
	if (capabilities.strictFields === true) makeStrict(body, writing);
	return { body: definedOnly(body), losses: writing.losses.list(), names: { tools: names.changed } };
};
