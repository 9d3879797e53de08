/** Neutral settings as Gemini's `generationConfig`. */
import {
	definedOnly,
	describedSchema,
	type EncodeContext,
	type Losses,
	type NeutralRequest,
	type OutputFormat,
	type WireRecord,
} from "#core";
import { recordField } from "../fields.ts";
import { protocolName } from "../name.ts";
import { ownExtras } from "../signatures.ts";
import { fittedSchema, unsaid } from "./json-schema.ts";
import { encodeThinking } from "./thinking.ts";

const mostStops = 5;
const mostCandidates = 8;

/** The settings that shape the choice of words. */
const sampled = ["temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed"] as const;

/** Seeds of other protocols have 64 bits and Gemini's 32: one that is too long becomes another, and always the same. */
const fitted = (name: (typeof sampled)[number], value: number): number => {
	if (name === "temperature") return Math.min(2, value);
	return name === "seed" ? value | 0 : value;
};

const encodeSampling = ({ sampling }: NeutralRequest, { capabilities }: EncodeContext, losses: Losses): WireRecord => {
	const config: Record<string, unknown> = {};
	for (const name of sampled) {
		const value = sampling[name];
		if (value === undefined) continue;
		if (capabilities.samplingRefused === true && name !== "seed") {
			losses.setting(name, "the model refuses it");
			continue;
		}
		config[name] = fitted(name, value);
	}
	if (capabilities.temperatureOrTopP === true && config["temperature"] !== undefined && config["topP"] !== undefined) {
		delete config["topP"];
		losses.setting("topP", "the model takes it only without temperature");
	}
	if (sampling.logitBias) losses.setting("logitBias", "Gemini has no such setting");
	return config;
};

/** Words for the model where Gemini cannot be made to keep to the format; undefined where it can. */
export const spokenFormat = (request: NeutralRequest, context: EncodeContext, losses: Losses): string | undefined => {
	const { format } = request;
	if (!format || format.type === "text" || enforces(request, context)) return undefined;
	if (format.type === "schema" && format.strict === true)
		losses.setting("formatStrict", "Gemini is asked for the schema, and not held to it beside functions");
	if (format.type === "enum") return `Answer with exactly one of these words: ${format.values.join(", ")}.`;
	if (format.type === "json") return "Answer with a single JSON value and nothing else.";
	return `Answer with a single JSON value and nothing else. It must conform to this JSON Schema: ${JSON.stringify(describedSchema(format.schema, format.description))}`;
};

/** Many models refuse a response format and functions in one request. */
const enforces = (request: NeutralRequest, { capabilities }: EncodeContext): boolean => {
	if (request.protocol === protocolName) return true;
	if (capabilities.nativeSchema === false && request.format?.type === "schema") return false;
	const functions = request.tools?.some((tool) => tool.type === "function" || tool.type === "custom") === true;
	return !functions || capabilities.schemaBesideTools === true;
};

const encodeFormat = (format: OutputFormat, losses: Losses): WireRecord => {
	switch (format.type) {
		case "text":
			return {};
		case "json":
			return { responseMimeType: "application/json" };
		case "enum":
			return { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: format.values } };
		case "schema": {
			const { schema, lost } = fittedSchema(format.schema);
			if (lost.length > 0) losses.setting("formatSchema", unsaid(lost));
			return {
				responseMimeType: "application/json",
				responseJsonSchema: describedSchema(schema, format.description),
			};
		}
	}
};

const encodeLimits = (request: NeutralRequest, { capabilities }: EncodeContext, losses: Losses): WireRecord => {
	const { maxOutputTokens, stop, candidates } = request;
	if (stop && stop.length > mostStops)
		losses.setting("stop", `Gemini takes ${mostStops} stop sequences; the first ones stay`);
	if (candidates !== undefined && candidates > mostCandidates)
		losses.setting("candidates", `Gemini gives ${mostCandidates} answers at most`);
	return definedOnly({
		maxOutputTokens:
			maxOutputTokens === undefined
				? undefined
				: Math.min(maxOutputTokens, capabilities.maxOutput ?? Number.POSITIVE_INFINITY),
		stopSequences: stop && stop.length > 0 ? stop.slice(0, mostStops) : undefined,
		candidateCount: candidates === undefined || candidates === 1 ? undefined : Math.min(candidates, mostCandidates),
	});
};

/** How media are to be made is said in words that only Gemini's own clients use. */
const encodeMaking = (request: NeutralRequest, losses: Losses): WireRecord => {
	const own = request.protocol === protocolName;
	if (!own && request.audio !== undefined) losses.setting("audio", "Gemini's voices and formats are others");
	if (!own && request.image !== undefined) losses.setting("image", "Gemini's image settings are others");
	return definedOnly({
		responseModalities: request.modalities?.map((modality) => modality.toUpperCase()),
		speechConfig: own ? request.audio : undefined,
		imageConfig: own ? request.image : undefined,
	});
};

const encodeLogprobs = ({ logprobs }: NeutralRequest): WireRecord =>
	logprobs?.enabled ? { responseLogprobs: true, ...definedOnly({ logprobs: logprobs.top || undefined }) } : {};

/** `generationConfig`; undefined when nothing is set. */
export const encodeConfig = (
	request: NeutralRequest,
	context: EncodeContext,
	losses: Losses,
): WireRecord | undefined => {
	const config = {
		...recordField(ownExtras(request.extras), "generationConfig"),
		...encodeSampling(request, context, losses),
		...encodeLimits(request, context, losses),
		...encodeLogprobs(request),
		...encodeMaking(request, losses),
		...(request.format && enforces(request, context) && encodeFormat(request.format, losses)),
		...definedOnly({ thinkingConfig: encodeThinking(request.reasoning, context, losses) }),
	};
	return Object.keys(config).length > 0 ? config : undefined;
};
