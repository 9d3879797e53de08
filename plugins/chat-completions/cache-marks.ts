/** Marks of cached prefixes, and what holds for all of them, in the words that OpenAI's two protocols share, and in Anthropic's. */
import { asText, type CacheMark, definedOnly, lookup, type NeutralNode, type WireRecord } from "#core";
import { protocolName } from "./name.ts";
import type { OpenAiWriting } from "./openai.ts";

const lifetimes = lookup<CacheMark["lifetime"]>({ "5m": "5m", "30m": "30m", "1h": "1h", "12h": "12h" });

/** How long what a mark stands at is to be kept; undefined where it does not say so. */
export const lifetimeOf = (mark: WireRecord): CacheMark["lifetime"] => lifetimes[asText(mark["ttl"]) ?? ""];

/** The mark at a part, for OpenAI's model and where the client's own protocol is spoken. */
export const breakpointOf = (
	{ cache, extras }: NeutralNode,
	{ request, sameProtocol, openai }: OpenAiWriting,
): WireRecord => {
	if (cache === undefined || !(sameProtocol || openai)) return {};
	if (request.protocol === "responses")
		return { prompt_cache_breakpoint: { mode: "explicit", ...definedOnly({ ttl: cache.lifetime }) } };
	// Clients of Chat Completions say it in Anthropic's words too, which OpenAI does not know.
	return definedOnly({ prompt_cache_breakpoint: extras?.[protocolName]?.["prompt_cache_breakpoint"] });
};

/**
 * The mark in Anthropic's words. Claude's cache knows five minutes and an hour: the hour holds what asks for half of one, or
 * for more than one.
 */
export const cacheControl = ({ lifetime }: CacheMark): WireRecord => ({
	type: "ephemeral",
	...definedOnly({ ttl: lifetime === "30m" || lifetime === "12h" ? "1h" : lifetime }),
});

/** What holds for all marks, as OpenAI takes it in Chat Completions: the rest of what Responses has is told as lost. */
export const cacheOptionsOf = ({ request, losses }: OpenAiWriting): WireRecord | undefined => {
	if (request.cacheOptions === undefined) return undefined;
	const { mode, ttl, ...others } = request.cacheOptions;
	const isTaken = ttl === undefined || ttl === "30m";
	if (!isTaken || Object.keys(others).length > 0)
		losses.setting("cacheOptions", "the upstream takes a `mode` and half an hour here, and nothing else");
	return definedOnly({ mode, ttl: isTaken ? ttl : undefined });
};
