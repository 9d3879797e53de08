/** Counts of model tokens, between the wire and the neutral form. Totals hold their parts on both sides. */
import { asCount, asList, asRecord, asText, definedOnly, isRecord, lookup, type Usage, type WireRecord } from "#core";
import { withOwnCounts } from "../chat-completions/service.ts";
import { protocolName } from "./name.ts";

/** Items that stand for one call of a tool which the upstream ran itself. */
const hosted = lookup<string>({
	web_search_call: "web_search",
	x_search_call: "web_search",
	file_search_call: "file_search",
	code_interpreter_call: "code_execution",
	image_generation_call: "image_generation",
	// What ran in a container of the upstream's: a shell of the client's own tells its output in the next request.
	shell_call_output: "code_execution",
});

/** How xAI and Perplexity name what they count, and bill, in the usage itself: not every call of theirs is an item. */
const counted = lookup<string>({
	web_search_calls: "web_search",
	x_search_calls: "web_search",
	web_search: "web_search",
	search_web: "web_search",
	file_search_calls: "file_search",
	document_search_calls: "file_search",
	code_interpreter_calls: "code_execution",
	image_generation_calls: "image_generation",
});

/** The tool that an item of this type is one call of. */
export const hostedTool = (type: string): string | undefined => hosted[type];

const pageActions = /^(?:open_page|find)/;

/** A call of the search tool that looks at one page: OpenAI bills searches, not this. */
export const looksAtPage = ({ type, action }: WireRecord): boolean =>
	type === "web_search_call" && pageActions.test(asText(asRecord(action)["type"]) ?? "");

/** How often each hosted tool was called, by the output items. */
const hostedCalls = (output: unknown): Record<string, number> => {
	const counts: Record<string, number> = {};
	for (const item of asList(output).map(asRecord)) {
		const tool = looksAtPage(item) ? "web_fetch" : hosted[asText(item["type"]) ?? ""];
		if (tool !== undefined) counts[tool] = (counts[tool] ?? 0) + 1;
	}
	return counts;
};

const countedCalls = (usage: WireRecord): Record<string, number> => {
	const counts: Record<string, number> = {};
	const told = { ...asRecord(usage["server_side_tool_usage_details"]), ...asRecord(usage["tool_calls_details"]) };
	for (const [name, value] of Object.entries(told)) {
		const [tool, calls] = [counted[name], asCount(value) ?? asCount(asRecord(value)["invocation"]) ?? 0];
		if (tool !== undefined && calls > 0) counts[tool] = (counts[tool] ?? 0) + calls;
	}
	return counts;
};

/** Undefined when none was called. */
const toolsOf = (usage: WireRecord, output: unknown, toolUsage: unknown): Usage["serverTools"] => {
	const calls = { ...hostedCalls(output), ...countedCalls(usage) };
	// OpenAI's own count of the searches it bills: not every one is an item.
	const searches = asCount(asRecord(asRecord(toolUsage)["web_search"])["num_requests"]) ?? 0;
	if (searches > 0) calls["web_search"] = searches;
	return Object.keys(calls).length > 0 ? calls : undefined;
};

/**
 * The usage of an answer; undefined when there is none or its counts are not counts. What `tool_usage` tells of pictures
 * is left out: they are priced by the picture, and their tokens are another model's.
 */
export const decodeUsage = (value: unknown, output?: unknown, toolUsage?: unknown): Usage | undefined => {
	if (!isRecord(value)) return undefined;
	const input = asCount(value["input_tokens"]);
	const generated = asCount(value["output_tokens"] ?? 0);
	if (input === undefined || generated === undefined) return undefined;
	const read = asRecord(value["input_tokens_details"]);
	const made = asRecord(value["output_tokens_details"]);
	return {
		input: {
			total: input,
			...definedOnly({
				cacheRead: asCount(read["cached_tokens"]),
				cacheWrite: asCount(read["cache_write_tokens"]),
				cacheWriteLong: asCount(asRecord(read["cache_write_tokens_details"])["ttl_12h_tokens"]),
				audio: asCount(read["audio_tokens"]),
				image: asCount(read["image_tokens"]),
			}),
		},
		output: {
			total: generated,
			...definedOnly({
				reasoning: asCount(made["reasoning_tokens"]),
				audio: asCount(made["audio_tokens"]),
				image: asCount(made["image_tokens"]),
			}),
		},
		...definedOnly({ serverTools: toolsOf(value, output, toolUsage) }),
	};
};

/** What `encodeUsage` writes. */
const known = new Set("input_tokens input_tokens_details output_tokens output_tokens_details total_tokens".split(" "));

/** The usage of an upstream's response for a client that speaks `protocol`. */
export const usageFor = (protocol: string, response: WireRecord, output: unknown): Usage | undefined => {
	const { usage: told, tool_usage } = response;
	const usage = decodeUsage(told, output, tool_usage);
	return protocol === protocolName ? withOwnCounts(usage, told, protocolName, known) : usage;
};

/** The usage object with both groups of details: typed clients demand them. */
export const encodeUsage = ({ input, output, extras }: Usage) => ({
	...extras?.[protocolName],
	input_tokens: input.total,
	input_tokens_details: { cached_tokens: input.cacheRead ?? 0, cache_write_tokens: input.cacheWrite ?? 0 },
	output_tokens: output.total,
	output_tokens_details: { reasoning_tokens: output.reasoning ?? 0 },
	total_tokens: input.total + output.total,
});
