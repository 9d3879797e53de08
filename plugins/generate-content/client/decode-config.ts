/** A Gemini client's `generationConfig` as neutral settings. */
import {
	asBoolean,
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	type Effort,
	isRecord,
	lookup,
	type NeutralRequest,
	type OutputFormat,
	type Reasoning,
	type WireRecord,
} from "#core";
import { modalityWord } from "../enum-words.ts";
import { field, listField, otherFields, recordField } from "../fields.ts";
import { toJsonSchema } from "./openapi-schema.ts";

const known = new Set([
	"temperature",
	"topP",
	"topK",
	"presencePenalty",
	"frequencyPenalty",
	"seed",
	"maxOutputTokens",
	"stopSequences",
	"candidateCount",
	"responseLogprobs",
	"logprobs",
	"responseModalities",
	"responseMimeType",
	"responseSchema",
	"responseJsonSchema",
	"_responseJsonSchema",
	"responseFormat",
	"thinkingConfig",
	"speechConfig",
	"imageConfig",
]);

const efforts = lookup<Effort>({ MINIMAL: "minimal", LOW: "low", MEDIUM: "medium", HIGH: "high", XHIGH: "xhigh" });

const decodeReasoning = (config: WireRecord): Reasoning | undefined => {
	const thinking = field(config, "thinkingConfig");
	if (!isRecord(thinking)) return undefined;
	const budget = asNumber(field(thinking, "thinkingBudget"));
	const effort = efforts[asText(field(thinking, "thinkingLevel"))?.toUpperCase() ?? ""];
	const include = asBoolean(field(thinking, "includeThoughts"));
	const expose = include === undefined ? {} : { expose: include ? ("full" as const) : ("none" as const) };
	if (effort !== undefined) return { mode: "on", effort, ...expose };
	if (budget === 0) return { mode: "off", ...expose };
	if (budget !== undefined && budget > 0) return { mode: "on", budget, ...expose };
	return { mode: budget !== undefined || include === true ? "auto" : "default", ...expose };
};

/** The newer form, by media: one object, or a list of such as Vertex AI has it. */
const formats = (config: WireRecord): WireRecord =>
	Object.assign({}, ...listField(config, "responseFormat").map(asRecord));

const mimes = lookup<string>({ APPLICATION_JSON: "application/json", TEXT_PLAIN: "text/plain" });

const decodeFormat = (config: WireRecord): OutputFormat | undefined => {
	const text = recordField(formats(config), "text");
	const word = asText(field(text, "mimeType")) ?? "";
	const mime = asText(field(config, "responseMimeType")) ?? mimes[word] ?? (word.includes("/") ? word : undefined);
	const openapi = field(config, "responseSchema");
	const json = field(config, "responseJsonSchema") ?? config["_responseJsonSchema"] ?? text["schema"];
	if (mime === "text/x.enum") {
		const values = asList(asRecord(openapi ?? json)["enum"]).filter((value) => typeof value === "string");
		return { type: "enum", values };
	}
	if (mime !== undefined && mime !== "application/json") return mime === "text/plain" ? { type: "text" } : undefined;
	const schema = isRecord(json) ? json : isRecord(openapi) ? toJsonSchema(openapi) : undefined;
	// Gemini holds its models to any schema.
	if (schema) return { type: "schema", schema, strict: true };
	return mime === undefined ? undefined : { type: "json" };
};

const modalities = { TEXT: "text", IMAGE: "image", AUDIO: "audio" } as const;

const decodeModalities = (config: WireRecord): NeutralRequest["modalities"] => {
	const words = asList(field(config, "responseModalities")).map(modalityWord);
	const read = words.flatMap((word) =>
		word === "TEXT" || word === "IMAGE" || word === "AUDIO" ? [modalities[word]] : [],
	);
	return read.length > 0 ? read : undefined;
};

const decodeLogprobs = (config: WireRecord): NeutralRequest["logprobs"] => {
	const enabled = asBoolean(field(config, "responseLogprobs"));
	if (enabled === undefined) return undefined;
	return { enabled, ...definedOnly({ top: asCount(config["logprobs"]) }) };
};

const understoodTypes = new Set(["text/x.enum", "application/json", "text/plain"]);

const restOf = (config: WireRecord): WireRecord | undefined => {
	const mime = asText(field(config, "responseMimeType"));
	const unknown = mime !== undefined && !understoodTypes.has(mime) ? { responseMimeType: mime } : undefined;
	const others = unknown ? { ...otherFields(config, known), ...unknown } : otherFields(config, known);
	const media = otherFields(formats(config), new Set(["text"]));
	return media ? { ...others, responseFormat: media } : others;
};

/** The settings, and in `rest` the fields that only Gemini understands. */
export const decodeConfig = (body: WireRecord) => {
	const config = recordField(body, "generationConfig");
	const number = (name: string): number | undefined => asNumber(field(config, name));
	const stops = asList(field(config, "stopSequences")).filter((stop) => typeof stop === "string");
	return {
		sampling: definedOnly({
			temperature: number("temperature"),
			topP: number("topP"),
			topK: number("topK"),
			presencePenalty: number("presencePenalty"),
			frequencyPenalty: number("frequencyPenalty"),
			seed: number("seed"),
		}),
		settings: definedOnly({
			maxOutputTokens: asCount(field(config, "maxOutputTokens")),
			stop: stops.length > 0 ? stops : undefined,
			candidates: asCount(field(config, "candidateCount")),
			logprobs: decodeLogprobs(config),
			reasoning: decodeReasoning(config),
			format: decodeFormat(config),
			modalities: decodeModalities(config),
			audio: field(config, "speechConfig"),
			image: field(config, "imageConfig"),
		}),
		rest: restOf(config),
	};
};
