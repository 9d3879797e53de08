/** How this protocol's clients are told what an upstream cannot take. */
import type { LossWords } from "#core";

/** Names of settings and members as they stand in a request, and fields that nobody else needs to hear of. */
export const lossWords: LossWords = {
	words: {
		topP: "top_p",
		topK: "top_k",
		presencePenalty: "presence_penalty",
		frequencyPenalty: "frequency_penalty",
		logitBias: "logit_bias",
		maxOutputTokens: ["max_completion_tokens", "max_tokens"],
		candidates: "n",
		reasoning: ["reasoning_effort", "reasoning", "thinking", "enable_thinking"],
		format: "response_format",
		formatStrict: "response_format.json_schema.strict",
		formatSchema: "response_format.json_schema.schema",
		schema: "function.parameters",
		tier: "service_tier",
		safetyId: "safety_identifier",
		cacheKey: "prompt_cache_key",
		cacheRetention: "prompt_cache_retention",
		cacheOptions: "prompt_cache_options",
		toolChoice: ["tool_choice", "function_call"],
		parallelTools: "parallel_tool_calls",
		contextSize: "search_context_size",
		userLocation: "user_location",
		grammar: "custom.format.grammar",
		isError: "is_error",
		detail: "image_url.detail",
	},
	groups: [],
	harmless: {
		cache_control: "a mark for the cache changes the price, not the answer, and is carried where marks are known",
		prompt_cache_breakpoint: "the same mark in OpenAI's words",
	},
	// Mistral's SDK says of every answer in the history that it is over; Groq gives reasoning apart, as this protocol's answers have it.
	usual: { prefix: false, reasoning_format: "parsed" },
};
