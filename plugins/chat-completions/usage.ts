/** Counts of model tokens, between the wire and the neutral form. Neutral totals hold their parts. */
import { asCount, asRecord, definedOnly, isRecord, type Usage, type WireRecord } from "#core";

const inputOf = (usage: WireRecord, total: number): Usage["input"] => {
	const details = asRecord(usage["prompt_tokens_details"]);
	return {
		total,
		...definedOnly({
			cacheRead:
				asCount(details["cached_tokens"]) ??
				asCount(usage["prompt_cache_hit_tokens"]) ??
				asCount(usage["num_cached_tokens"]) ??
				asCount(usage["cached_tokens"]),
			cacheWrite: asCount(details["cache_write_tokens"]),
			audio: asCount(details["audio_tokens"]),
			image: asCount(details["image_tokens"]),
		}),
	};
};

/** Some vendors count reasoning beside the completion, not in it; their total tells. */
const outputTotal = (usage: WireRecord, prompt: number, completion: number, reasoning: number): number => {
	const total = asCount(usage["total_tokens"]) ?? 0;
	return reasoning > 0 && total === prompt + completion + reasoning ? completion + reasoning : completion;
};

const outputOf = (usage: WireRecord, prompt: number, completion: number): Usage["output"] => {
	const details = asRecord(usage["completion_tokens_details"]);
	const reasoning = asCount(details["reasoning_tokens"]) ?? asCount(usage["reasoning_tokens"]);
	return {
		total: outputTotal(usage, prompt, completion, reasoning ?? 0),
		...definedOnly({
			reasoning,
			audio: asCount(details["audio_tokens"]),
			image: asCount(details["image_tokens"]),
			acceptedPrediction: asCount(details["accepted_prediction_tokens"]),
			rejectedPrediction: asCount(details["rejected_prediction_tokens"]),
		}),
	};
};

/** The usage of an answer or chunk; undefined when there is none or its counts are not counts. */
export const decodeUsage = (value: unknown): Usage | undefined => {
	if (!isRecord(value)) return undefined;
	const prompt = asCount(value["prompt_tokens"]);
	const completion = asCount(value["completion_tokens"] ?? 0);
	if (prompt === undefined || completion === undefined) return undefined;
	return { input: inputOf(value, prompt), output: outputOf(value, prompt, completion) };
};

/** OpenAI's usage object, with both groups of details, as its own answers have them. */
export const encodeUsage = ({ input, output }: Usage) => ({
	prompt_tokens: input.total,
	completion_tokens: output.total,
	total_tokens: input.total + output.total,
	prompt_tokens_details: definedOnly({
		cached_tokens: input.cacheRead ?? 0,
		audio_tokens: input.audio ?? 0,
		cache_write_tokens: input.cacheWrite,
		image_tokens: input.image,
	}),
	completion_tokens_details: {
		reasoning_tokens: output.reasoning ?? 0,
		audio_tokens: output.audio ?? 0,
		accepted_prediction_tokens: output.acceptedPrediction ?? 0,
		rejected_prediction_tokens: output.rejectedPrediction ?? 0,
	},
});
