/** Counts of model tokens, between the wire and the neutral form. Neutral totals hold their parts. */
import {
	asCount,
	asList,
	asRecord,
	type DecodeContext,
	definedOnly,
	isRecord,
	type Usage,
	type WireRecord,
} from "#core";
import { protocolName } from "./name.ts";

/** What a vendor counted beside prompt and completion though it belongs to one of them; its own total tells. */
interface Beside {
	readonly input: number;
	readonly output: number;
}

const nothing: Beside = { input: 0, output: 0 };

const besideOf = (usage: WireRecord, gap: number): Beside => {
	if (asRecord(usage["prompt_tokens_details"])["audio_tokens"] === gap) return { input: gap, output: 0 };
	const reasoning = reasoningOf(usage);
	return { input: 0, output: reasoning === undefined || reasoning === gap ? gap : 0 };
};

const reasoningOf = (usage: WireRecord): number | undefined =>
	asCount(asRecord(usage["completion_tokens_details"])["reasoning_tokens"]) ?? asCount(usage["reasoning_tokens"]);

/** Read from a cache and written to one; LiteLLM and Databricks have Anthropic's own names for them, new-api one of its own. */
const cachesOf = (usage: WireRecord) => {
	const details = asRecord(usage["prompt_tokens_details"]);
	return {
		cacheRead:
			asCount(details["cached_tokens"]) ??
			asCount(usage["prompt_cache_hit_tokens"]) ??
			asCount(usage["num_cached_tokens"]) ??
			asCount(usage["cached_tokens"]) ??
			asCount(usage["cache_read_input_tokens"]),
		cacheWrite:
			asCount(details["cache_write_tokens"]) ??
			asCount(details["cache_creation_tokens"]) ??
			asCount(details["cached_creation_tokens"]) ??
			asCount(usage["cache_creation_input_tokens"]),
	};
};

type Caches = ReturnType<typeof cachesOf>;

/**
 * What caches hold is a part of the prompt, but for servers that count as Anthropic does: their total tells, or that more was
 * read, or written, than the prompt has. Both may be of the same tokens, as Gemini's are by OpenRouter. Grok on Azure counts
 * its preamble as read though not as prompt: a prompt that is all text is whole.
 */
const cachedBeside = (
	usage: WireRecord,
	{ cacheRead = 0, cacheWrite = 0 }: Caches,
	prompt: number,
	gap: number,
): number => {
	const cached = cacheRead + cacheWrite;
	if (cached === gap) return cached;
	const isWhole = asRecord(usage["prompt_tokens_details"])["text_tokens"] === prompt;
	return Math.max(cacheRead, cacheWrite) > prompt && !isWhole ? cached : 0;
};

const inputOf = (usage: WireRecord, { cacheRead, cacheWrite }: Caches, total: number): Usage["input"] => {
	const details = asRecord(usage["prompt_tokens_details"]);
	return definedOnly({
		total,
		// Of a preamble that is no prompt no more is told than there is prompt: clients subtract the one from the other.
		cacheRead: cacheRead === undefined ? undefined : Math.min(cacheRead, total),
		cacheWrite,
		audio: asCount(details["audio_tokens"]),
		image: asCount(details["image_tokens"]),
		video: asCount(details["video_tokens"]),
	});
};

const outputOf = (usage: WireRecord, completion: number, beside: number): Usage["output"] => {
	const details = asRecord(usage["completion_tokens_details"]);
	return definedOnly({
		total: completion + beside,
		reasoning: reasoningOf(usage) ?? (beside > 0 ? beside : undefined),
		audio: asCount(details["audio_tokens"]),
		image: asCount(details["image_tokens"]),
		acceptedPrediction: asCount(details["accepted_prediction_tokens"]),
		rejectedPrediction: asCount(details["rejected_prediction_tokens"]),
	});
};

/** Searches as vendors count them: by the search, by the query, by the source that was read. */
const searchesOf = (usage: WireRecord): number | undefined => {
	const details = asRecord(usage["server_tool_use_details"] ?? usage["server_tool_use"]);
	return (
		asCount(details["web_search_requests"]) ??
		asCount(usage["num_search_queries"]) ??
		asCount(usage["num_sources_used"])
	);
};

const isWebCitation = (annotation: unknown): boolean => asRecord(annotation)["type"] === "url_citation";

/** Whether a message, or a piece of one, cites what was found on the web. OpenAI tells no more of the search it bills. */
export const citesWeb = (message: WireRecord): boolean => asList(message["annotations"]).some(isWebCitation);

/** What a chunk tells of usage; Groq's streams have it in a member of their own, Moonshot's within the choice. */
export const usageIn = (chunk: WireRecord): unknown =>
	chunk["usage"] ?? asRecord(chunk["x_groq"])["usage"] ?? asRecord(asList(chunk["choices"])[0])["usage"];

/** The usage of an answer or chunk; undefined when there is none or its counts are not counts. `cites`: it cites the web. */
export const decodeUsage = (value: unknown, cites = false): Usage | undefined => {
	if (!isRecord(value)) return undefined;
	const prompt = asCount(value["prompt_tokens"]);
	const completion = asCount(value["completion_tokens"] ?? 0);
	if (prompt === undefined || completion === undefined) return undefined;
	const caches = cachesOf(value);
	const gap = (asCount(value["total_tokens"]) ?? 0) - prompt - completion;
	const cached = cachedBeside(value, caches, prompt, gap);
	const beside = gap > cached ? besideOf(value, gap - cached) : nothing;
	const usage = {
		input: inputOf(value, caches, prompt + cached + beside.input),
		output: outputOf(value, completion, beside.output),
	};
	const searches = searchesOf(value) ?? (cites ? 1 : 0);
	return searches > 0 ? { ...usage, serverTools: { web_search: searches } } : usage;
};

const isCounts = (value: unknown): boolean =>
	typeof value === "number" || (isRecord(value) && Object.values(value).every((one) => typeof one === "number"));

/**
 * The usage with what a vendor counts beside what is known, such as its cost: clients of its own protocol are told that of an
 * answer that a guard looked at, too. Words are left out, for no guard has seen them.
 */
export const withOwnCounts = (
	usage: Usage | undefined,
	told: unknown,
	protocol: string,
	known: ReadonlySet<string>,
): Usage | undefined => {
	if (usage === undefined) return undefined;
	const own = Object.entries(asRecord(told)).filter(([name, value]) => !known.has(name) && isCounts(value));
	return own.length === 0 ? usage : { ...usage, extras: { [protocol]: Object.fromEntries(own) } };
};

/** What `encodeUsage` writes. */
const known = new Set(
	"prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details".split(" "),
);

/** An upstream's usage for the client that asked. */
export const usageFor = ({ request }: DecodeContext, told: unknown, cites: boolean): Usage | undefined =>
	request.protocol === protocolName
		? withOwnCounts(decodeUsage(told, cites), told, protocolName, known)
		: decodeUsage(told, cites);

/** OpenAI's usage object, with both groups of details, as its own answers have them. */
export const encodeUsage = ({ input, output, extras }: Usage) => ({
	...extras?.[protocolName],
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
