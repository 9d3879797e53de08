/**
 * Token counts. On the wire `input_tokens` leaves out what was read from or written to the cache; the neutral total
 * holds everything.
 */
import {
	addUsage,
	asCount,
	asList,
	asRecord,
	asText,
	definedOnly,
	isRecord,
	lookup,
	type Usage,
	type WireRecord,
} from "#core";
import { protocolName } from "./name.ts";

const requests = "_requests";

const serverToolsOf = (told: unknown): Record<string, number> | undefined => {
	if (!isRecord(told)) return undefined;
	const counts: Record<string, number> = {};
	for (const [name, value] of Object.entries(told)) {
		const count = asCount(value);
		if (count !== undefined && name.endsWith(requests)) counts[name.slice(0, -requests.length)] = count;
	}
	return Object.keys(counts).length === 0 ? undefined : counts;
};

/** Fields with no neutral place, kept for clients of this protocol. */
const own = ["inference_geo", "speed", "iterations", "fallback_credit"] as const;

const extrasOf = (told: WireRecord): Usage["extras"] => {
	const bag: Record<string, unknown> = {};
	for (const name of own) if (told[name] !== undefined && told[name] !== null) bag[name] = told[name];
	return Object.keys(bag).length === 0 ? undefined : { [protocolName]: bag };
};

/** Iterations that are billed and that the counts beside them leave out: summaries, and what another model was asked. */
const apart = new Set(["compaction", "advisor_message"]);

const apartIn = (iterations: unknown): readonly WireRecord[] =>
	asList(iterations)
		.map(asRecord)
		.filter(({ type }) => apart.has(asText(type) ?? ""));

const decodeCounts = (told: WireRecord): Pick<Usage, "input" | "output"> => {
	const cacheRead = asCount(told["cache_read_input_tokens"]);
	const cacheWrite = asCount(told["cache_creation_input_tokens"]);
	const cacheWriteLong = asCount(asRecord(told["cache_creation"])["ephemeral_1h_input_tokens"]);
	const reasoning = asCount(asRecord(told["output_tokens_details"])["thinking_tokens"]);
	const total = (asCount(told["input_tokens"]) ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
	return {
		input: { total, ...definedOnly({ cacheRead, cacheWrite, cacheWriteLong }) },
		output: { total: asCount(told["output_tokens"]) ?? 0, ...definedOnly({ reasoning }) },
	};
};

const besideOf = (iterations: unknown): Usage["beside"] => {
	const counts = apartIn(iterations).map(decodeCounts);
	return counts.length === 0 ? undefined : counts.reduce(addUsage);
};

/** What `usage` says; undefined when there is none. Counts that are missing or no counts are taken as 0. */
export const decodeUsage = (usage: unknown): Usage | undefined => {
	if (!isRecord(usage)) return undefined;
	const { iterations } = usage;
	return {
		...decodeCounts(usage),
		...definedOnly({
			serverTools: serverToolsOf(usage["server_tool_use"]),
			beside: iterations === undefined ? undefined : besideOf(iterations),
			extras: extrasOf(usage),
		}),
	};
};

const inputCounts = new Set(["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);

const tellsInput = (usage: WireRecord): boolean => [...inputCounts].some((name) => (asCount(usage[name]) ?? 0) > 0);

/**
 * The start of a message tells the input, its end the totals: a later count replaces an earlier one, null says nothing.
 * Some servers tell the input at the start alone, and zeros at the end.
 */
export const mergeUsage = (before: WireRecord, later: unknown): WireRecord => {
	const merged: Record<string, unknown> = { ...before };
	const told = asRecord(later);
	const keepsInput = !tellsInput(told);
	for (const [name, value] of Object.entries(told)) {
		if (value === undefined || value === null) continue;
		if (keepsInput && inputCounts.has(name) && before[name] !== undefined) continue;
		merged[name] = value;
	}
	return merged;
};

const tiers = lookup<string>({ standard: "default" });

/** The neutral word for `usage.service_tier`. */
export const decodeTier = (usage: unknown): string | undefined => {
	const tier = asText(asRecord(usage)["service_tier"]);
	return tier === undefined ? undefined : (tiers[tier] ?? tier);
};

const tierWord = (tier: string | undefined): string | undefined => {
	if (tier === "priority" || tier === "batch") return tier;
	return tier === undefined ? undefined : "standard";
};

const serverToolUse = (counts: Usage["serverTools"]): WireRecord | undefined => {
	const { web_search, web_fetch } = counts ?? {};
	if (web_search === undefined && web_fetch === undefined) return undefined;
	return { web_search_requests: web_search ?? 0, web_fetch_requests: web_fetch ?? 0 };
};

/** Usage as `message_delta` has it: totals so far. Without usage, zeros: this protocol's clients demand numbers. */
export const encodeUsage = (usage: Usage | undefined): WireRecord => {
	const { total = 0, cacheRead = 0, cacheWrite = 0 } = usage?.input ?? {};
	const { total: output = 0, reasoning } = usage?.output ?? {};
	// Some upstreams count a token as read and as written: the parts must not be more than the whole.
	const read = Math.min(cacheRead, total);
	const written = Math.min(cacheWrite, total - read);
	return {
		input_tokens: total - read - written,
		cache_creation_input_tokens: written,
		cache_read_input_tokens: read,
		output_tokens: output,
		...definedOnly({
			output_tokens_details: reasoning === undefined ? undefined : { thinking_tokens: reasoning },
			server_tool_use: serverToolUse(usage?.serverTools),
			iterations: usage?.extras?.[protocolName]?.["iterations"],
		}),
	};
};

/** Usage as a message has it. */
export const encodeWholeUsage = (usage: Usage | undefined, tier: string | undefined): WireRecord => {
	const { cacheWrite, cacheWriteLong = 0 } = usage?.input ?? {};
	return {
		...encodeUsage(usage),
		...definedOnly({
			cache_creation:
				cacheWrite === undefined
					? undefined
					: {
							ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWriteLong),
							ephemeral_1h_input_tokens: cacheWriteLong,
						},
			service_tier: tierWord(tier),
		}),
		...usage?.extras?.[protocolName],
	};
};
