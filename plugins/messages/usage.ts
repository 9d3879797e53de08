/**
 * Token counts. On the wire `input_tokens` leaves out what was read from or written to the cache; the neutral total
 * holds everything.
 */
import { asCount, asList, asRecord, asText, definedOnly, isRecord, lookup, type Usage, type WireRecord } from "#core";
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

interface Counts {
	readonly cacheRead: number | undefined;
	readonly cacheWrite: number | undefined;
	readonly cacheWriteLong: number | undefined;
	readonly input: number;
	readonly output: number;
}

const sumOf = (all: readonly WireRecord[]): Counts => {
	const sum = (count: (told: WireRecord) => unknown): number | undefined =>
		all.reduce<number | undefined>((before, told) => {
			const more = asCount(count(told));
			return more === undefined ? before : (before ?? 0) + more;
		}, undefined);
	const cacheRead = sum((told) => told["cache_read_input_tokens"]);
	const cacheWrite = sum((told) => told["cache_creation_input_tokens"]);
	return {
		cacheRead,
		cacheWrite,
		cacheWriteLong: sum((told) => asRecord(told["cache_creation"])["ephemeral_1h_input_tokens"]),
		input: (sum((told) => told["input_tokens"]) ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0),
		output: sum((told) => told["output_tokens"]) ?? 0,
	};
};

/** What `usage` says; undefined when there is none. Counts that are missing or no counts are taken as 0. */
export const decodeUsage = (usage: unknown): Usage | undefined => {
	if (!isRecord(usage)) return undefined;
	const { cacheRead, cacheWrite, cacheWriteLong, input, output } = sumOf([usage, ...apartIn(usage["iterations"])]);
	const reasoning = asCount(asRecord(usage["output_tokens_details"])["thinking_tokens"]);
	return {
		input: { total: input, ...definedOnly({ cacheRead, cacheWrite, cacheWriteLong }) },
		output: { total: output, ...definedOnly({ reasoning }) },
		...definedOnly({ serverTools: serverToolsOf(usage["server_tool_use"]), extras: extrasOf(usage) }),
	};
};

/** The start of a message tells the input, its end the totals: a later count replaces an earlier one, null says nothing. */
export const mergeUsage = (before: WireRecord, later: unknown): WireRecord => {
	const merged: Record<string, unknown> = { ...before };
	for (const [name, value] of Object.entries(asRecord(later)))
		if (value !== undefined && value !== null) merged[name] = value;
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

/** The usage without what this protocol tells apart from it. */
const withoutApart = ({ input, output }: Usage, iterations: unknown): Pick<Usage, "input" | "output"> => {
	const less = sumOf(apartIn(iterations));
	const rest = (all: number | undefined, part: number | undefined): number => Math.max(0, (all ?? 0) - (part ?? 0));
	return {
		input: {
			...input,
			total: rest(input.total, less.input),
			cacheRead: rest(input.cacheRead, less.cacheRead),
			cacheWrite: rest(input.cacheWrite, less.cacheWrite),
			cacheWriteLong: rest(input.cacheWriteLong, less.cacheWriteLong),
		},
		output: { ...output, total: rest(output.total, less.output) },
	};
};

/** Usage as `message_delta` has it: totals so far. Without usage, zeros: this protocol's clients demand numbers. */
export const encodeUsage = (usage: Usage | undefined): WireRecord => {
	const iterations = usage?.extras?.[protocolName]?.["iterations"];
	const shown = usage && iterations !== undefined ? withoutApart(usage, iterations) : usage;
	const { total = 0, cacheRead = 0, cacheWrite = 0 } = shown?.input ?? {};
	const { total: output = 0, reasoning } = shown?.output ?? {};
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
			iterations,
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
