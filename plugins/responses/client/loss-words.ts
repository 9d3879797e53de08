/** How this protocol's clients are told what an upstream cannot take. */
import type { LossWords } from "#core";

/** Names of settings and members as they stand in a request, and fields that nobody else needs to hear of. */
export const lossWords: LossWords = {
	words: {
		topP: "top_p",
		maxOutputTokens: "max_output_tokens",
		logprobs: ["top_logprobs", "include"],
		format: "text.format",
		formatStrict: "text.format.strict",
		formatSchema: "text.format.schema",
		schema: "parameters",
		verbosity: "text.verbosity",
		tier: "service_tier",
		safetyId: "safety_identifier",
		cacheKey: "prompt_cache_key",
		cacheRetention: "prompt_cache_retention",
		cacheOptions: "prompt_cache_options",
		previousId: "previous_response_id",
		messages: "input",
		toolChoice: "tool_choice",
		parallelTools: "parallel_tool_calls",
		maxToolCalls: "max_tool_calls",
		allowedDomains: "filters.allowed_domains",
		blockedDomains: "filters.blocked_domains",
		contextSize: "search_context_size",
		userLocation: "user_location",
		grammar: "format.grammar",
		isError: "status",
	},
	groups: ["filters", "reasoning"],
	harmless: {
		definition:
			"not lost: the tool goes as a function of the same name; the bag keeps it for an upstream of this protocol",
		item: "not lost: the item goes as a call, a result or a picture; the bag keeps it for an upstream of this protocol",
		instructions: "not a field of the client's: it marks the text that stood in `instructions`",
		summary: "not a field of the client's: it keeps the summaries beside reasoning that is told in full",
		type: "the neutral tool is of that type",
		search_context_size: "its neutral setting tells of it",
		user_location: "its neutral setting tells of it",
		allowed_domains: "its neutral setting tells of it",
		blocked_domains: "its neutral setting tells of it",
	},
	// OpenAI wants a container named; this one is made for the call and holds nothing. The others are what it does unasked.
	usual: { container: { type: "auto" }, external_web_access: true, context: "auto", detail: "auto" },
};
