/** Token counts. Gemini counts thoughts beside the answer and tool results beside the prompt; the neutral totals hold both. */
import { asCount, asList, asRecord, asText, definedOnly, isRecord, type Usage, type WireRecord } from "#core";
import { field } from "./fields.ts";
import { bagOf, ownExtras } from "./signatures.ts";

type Modality = "TEXT" | "IMAGE" | "AUDIO" | "VIDEO";

/** How many tokens of a kind such details tell; undefined where they tell of none. */
export const ofModality = (details: unknown, modality: Modality): number | undefined => {
	let count: number | undefined;
	for (const entry of asList(details)) {
		const { modality: word, tokenCount } = asRecord(entry);
		if (word === modality) count = (count ?? 0) + (asCount(tokenCount) ?? 0);
	}
	return count;
};

/** Fields of `usageMetadata` with no neutral place, kept for clients of the same protocol. */
const kept = [
	"promptTokensDetails",
	"candidatesTokensDetails",
	"cacheTokensDetails",
	"toolUsePromptTokensDetails",
	"trafficType",
] as const;

/** Details whose modality is a number, as some libraries write it, would break a client that knows words only. */
const isSound = (details: unknown): boolean =>
	!Array.isArray(details) || details.every((entry) => typeof asRecord(entry)["modality"] === "string");

const bagFrom = (metadata: WireRecord): WireRecord =>
	Object.fromEntries(
		kept.flatMap((name) => {
			const value = field(metadata, name);
			return value !== undefined && isSound(value) ? [[name, value]] : [];
		}),
	);

/** The usage that `usageMetadata` tells; undefined when it tells nothing yet (absent, or a placeholder of zeros). */
export const decodeUsage = (metadata: unknown): Usage | undefined => {
	if (!isRecord(metadata)) return undefined;
	const count = (name: string): number | undefined => asCount(field(metadata, name));
	const prompt = count("promptTokenCount") ?? 0;
	const toolUse = count("toolUsePromptTokenCount");
	const thoughts = count("thoughtsTokenCount");
	const total = count("totalTokenCount") ?? 0;
	const input = prompt + (toolUse ?? 0);
	const output = (count("candidatesTokenCount") ?? Math.max(0, total - input - (thoughts ?? 0))) + (thoughts ?? 0);
	if (input + output === 0) return undefined;
	const prompts = field(metadata, "promptTokensDetails");
	const answers = field(metadata, "candidatesTokensDetails");
	return {
		input: definedOnly({
			total: input,
			cacheRead: count("cachedContentTokenCount"),
			cacheReadAudio: ofModality(field(metadata, "cacheTokensDetails"), "AUDIO"),
			audio: ofModality(prompts, "AUDIO"),
			image: ofModality(prompts, "IMAGE"),
			video: ofModality(prompts, "VIDEO"),
			toolUse,
		}),
		output: definedOnly({
			total: output,
			reasoning: thoughts,
			audio: ofModality(answers, "AUDIO"),
			image: ofModality(answers, "IMAGE"),
			video: ofModality(answers, "VIDEO"),
		}),
		...bagOf(bagFrom(metadata)),
	};
};

/** The service tier that `usageMetadata` names. */
export const decodeTier = (metadata: unknown): string | undefined => {
	const tier = asText(field(asRecord(metadata), "serviceTier"));
	return tier === "unspecified" ? undefined : tier;
};

const detailsOf = (total: number, audio: number | undefined, image: number | undefined): readonly unknown[] => {
	const text = Math.max(0, total - (audio ?? 0) - (image ?? 0));
	const rows: readonly (readonly [Modality, number | undefined])[] = [
		["TEXT", text],
		["AUDIO", audio],
		["IMAGE", image],
	];
	return rows.flatMap(([modality, tokenCount]) => (tokenCount ? [{ modality, tokenCount }] : []));
};

const tiers = new Set(["standard", "flex", "priority"]);

/** Usage as `usageMetadata`. Its parts add up: prompt, tool results, answer and thoughts make the total. */
export const encodeUsage = (usage: Usage, tier?: string): WireRecord => {
	const { input, output } = usage;
	const own = ownExtras(usage.extras);
	const prompt = Math.max(0, input.total - (input.toolUse ?? 0));
	const reasoning = Math.min(output.reasoning ?? 0, output.total);
	const answer = output.total - reasoning;
	return definedOnly({
		promptTokenCount: prompt,
		candidatesTokenCount: answer,
		totalTokenCount: input.total + output.total,
		cachedContentTokenCount: input.cacheRead || undefined,
		toolUsePromptTokenCount: input.toolUse || undefined,
		thoughtsTokenCount: reasoning || undefined,
		promptTokensDetails: own["promptTokensDetails"] ?? detailsOf(prompt, input.audio, input.image),
		candidatesTokensDetails: own["candidatesTokensDetails"],
		cacheTokensDetails: own["cacheTokensDetails"],
		toolUsePromptTokensDetails: own["toolUsePromptTokensDetails"],
		trafficType: own["trafficType"],
		serviceTier: tier !== undefined && tiers.has(tier) ? tier : undefined,
	});
};
