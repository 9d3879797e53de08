/** Fields of published requests that may go without a word, because nothing is lost with them. Each with the reason. */
import type { ProtocolName } from "../support/recordings.ts";

type Reasons = readonly (readonly [RegExp, string])[];

const everywhere: Reasons = [
	[/^model$/, "the route chooses the model"],
	[/^stream$/, "the upstream of this protocol is asked for a stream by its path"],
	[
		/cache_control|prompt_cache_breakpoint/,
		"a mark for the cache changes the price, not the answer; upstreams without marks cache by themselves",
	],
	[
		/\.citations$/,
		"null, or what a text of the history cites, which is told to the reader; the model that goes on has the text",
	],
	[/^(reasoning|thinking<\w+>)\.(summary|generate_summary|display)$/, "reasoning is shown as the upstream tells it"],
	[/thinkingConfig\.includeThoughts$/, "reasoning is shown as the upstream tells it"],
	[/^stream_options/, "how the answer is framed is Portico's own work"],
];

const own: Readonly<Record<ProtocolName, Reasons>> = {
	"chat-completions": [
		[/\.parameters$/, "the sample has no word of JSON Schema in it"],
		[/\.custom\.format$/, "text is the default of a custom tool"],
		[/^top_logprobs$/, "says nothing without logprobs"],
		[
			/^response_format$|json_schema\.strict$/,
			"text is the default; a schema is always enforced there, or strictness has its own loss",
		],
		[/^logit_bias$/, "a bias that is no number is no bias"],
		[/^web_search_options\.user_location$/, "a place without a city, region or country is no place"],
	],
	responses: [
		[
			/^(previous_response_id|conversation|background)$/,
			"settled before a request is translated: what is kept here is put before the input, anything else is refused",
		],
		[/^store$/, "Portico keeps answers itself"],
		[/\.external_web_access$|^reasoning\.context$/, "the sample is what holds unasked; other values are told"],
		[/^text(\.format)?$|json_schema>\.strict$/, "text is the default; a schema is always enforced there"],
		[/^reasoning$/, "an empty object, or null"],
		[/\.format$/, "text is the default of a custom tool"],
		[/<shell_call>\.environment(<local>\.skills)?$/, "where the client ran it is its own affair"],
		[/\.filters$/, "no filter at all"],
		[/\.user_location(\.type)?$/, "a place without a city, region or country is no place"],
		[/^input\[\](<\w+>)?\.(id|status|type)$/, "names and states of items; calls and results are linked by call_id"],
	],
	messages: [
		[/<compaction>\.encrypted_content$/, "only its maker can read it; the text of the summary goes"],
		[/<computer_\d+>\.display_number$/, "which of its screens the client opens is its own affair"],
		[/^tools\[\]\.type$/, "custom is the default"],
		[/^(metadata|output_config)$/, "an empty object"],
		[/^service_tier$/, "auto and the standard are what a vendor without tiers has"],
	],
	"generate-content": [
		[/^generationConfig(\.(imageConfig|speechConfig|responseFormat|thinkingConfig))?$/, "an empty object"],
		[/^toolConfig(\.functionCallingConfig)?$/, "an empty object"],
		[/\.parameters$|dynamicRetrievalConfig$/, "an empty object"],
		[/responseSchema/, "a schema says nothing without responseMimeType"],
		[/^generationConfig\.logprobs$/, "says nothing without responseLogprobs"],
		[/fileData\.mimeType$/, "the upstream sees what the address gives"],
		[/functionResponse\.(id|name)$/, "the result is linked to its call"],
		[/thoughtSignature$/, "only the model that made it can use it; the part stays"],
		[/^systemInstruction\.(parts|role)$/, "a system text has one role"],
	],
};

/** Why nothing is lost with the field; undefined where something would be. */
export const harmlessBecause = (protocol: ProtocolName, name: string): string | undefined =>
	[...everywhere, ...own[protocol]].find(([pattern]) => pattern.test(name))?.[1];
