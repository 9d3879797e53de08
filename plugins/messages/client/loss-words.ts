/** How this protocol's clients are told what an upstream cannot take. */
import type { LossWords } from "#core";

/** Names of settings and members as they stand in a request, and fields that nobody else needs to hear of. */
export const lossWords: LossWords = {
	words: {
		topP: "top_p",
		topK: "top_k",
		maxOutputTokens: "max_tokens",
		stop: "stop_sequences",
		reasoning: ["thinking", "output_config.effort"],
		format: ["output_config.format", "output_format"],
		formatStrict: ["output_config.format", "output_format"],
		formatSchema: ["output_config.format.schema", "output_format.schema"],
		schema: "input_schema",
		tier: "service_tier",
		user: "metadata.user_id",
		cache: "cache_control",
		toolChoice: "tool_choice",
		parallelTools: "tool_choice.disable_parallel_tool_use",
		allowedDomains: "allowed_domains",
		blockedDomains: "blocked_domains",
		maxUses: "max_uses",
		userLocation: "user_location",
		isError: "is_error",
		citationsEnabled: "citations",
	},
	groups: ["output_config", "metadata", "transformations"],
	harmless: {
		definition:
			"not lost: the tool goes as a function of the same name; the bag keeps it for an upstream of this protocol",
		in_document: "not lost: it goes as a picture behind its document",
		anthropic_version: "names the wire format for Bedrock and Vertex, which say it in the body, not a header",
		source: "not lost: its text goes in the neutral document; the bag keeps its form for an upstream of this protocol",
	},
	// A picture that is too large is made smaller unasked.
	usual: { oversized_image: "downsize" },
};
