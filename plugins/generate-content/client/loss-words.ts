/** How this protocol's clients are told what an upstream cannot take. */
import type { LossWords } from "#core";

/** Names of settings and members as they stand in a request, and fields that nobody else needs to hear of. */
export const lossWords: LossWords = {
	words: {
		candidates: "candidateCount",
		stop: "stopSequences",
		logprobs: "responseLogprobs",
		reasoning: "thinkingConfig",
		format: "responseSchema",
		formatStrict: "responseSchema",
		formatSchema: "responseSchema",
		schema: "parameters",
		strict: "parameters",
		modalities: "responseModalities",
		audio: "speechConfig",
		image: "imageConfig",
		tier: "serviceTier",
		safety: "safetySettings",
		messages: "contents",
		toolChoice: "toolConfig",
		blockedDomains: "excludeDomains",
		isError: "functionResponse.response.error",
	},
	groups: ["generationConfig", "toolConfig", "responseFormat", "googleSearch", "googleSearchRetrieval"],
	harmless: {
		excludeDomains: "its neutral setting tells of it",
	},
};
