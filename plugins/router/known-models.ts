/** Looks up what is known of a model in the one table. */
import { type KnownModels, type ModelCapabilities, matchesPattern, ownName, remembering } from "#core";
import { chatModels } from "./known/chat-models.ts";
import { claude } from "./known/claude.ts";
import { embedding } from "./known/embedding.ts";
import { gemini } from "./known/gemini.ts";
import { gpt } from "./known/gpt.ts";
import { vendors } from "./known/vendors.ts";

/** The table that Portico brings, by makers. */
export const builtIn = { claude, gpt, gemini, "chat-models": chatModels, embedding, vendors } as const;

/** How specific a pattern is: the characters it fixes. */
export const fixedLength = (pattern: string): number => pattern.replaceAll("*", "").length;

/** OpenRouter and others write `claude-sonnet-4.5` where its maker writes `claude-sonnet-4-5`. */
const dashed = (name: string): string => (name.startsWith("claude-") ? name.replaceAll(".", "-") : name);

/**
 * Of any model OpenRouter makes one that searches at each call, and is billed for that, by an end of its name; Venice by another,
 * New API of Alibaba's, and gemini-balance of Google's.
 */
const searching = /:online$|:[^:]*\benable_web_search=(?!off)[^:]*$|(?<=qwen.*)-internet$|(?<=gemini-.*)-search$/i;

/** By an end of its name New API lets a Claude think, and has it write so many tokens at least, whatever limit it is given. */
const thinking = /^claude-.*-thinking$/;
const madeToThink: ModelCapabilities = { thinksBeside: 1280, thoughtFields: [] };

/** What is known of a model, by the upstream's name for it, by who serves it, and by what config says, which has the last word. */
export type ModelLookup = (model: string, vendor?: string, configured?: ModelCapabilities) => ModelCapabilities;

/** A lookup in the table with what plugins `added`, which goes before what is built in where both fit alike. */
export const createLookup = (added: readonly KnownModels[] = []): ModelLookup => {
	const entries = [...added, ...Object.values(builtIn).flat()];
	const patterns = entries
		.flatMap(({ names = [], capabilities }) => names.map((pattern) => ({ pattern: dashed(pattern), capabilities })))
		.sort((a, b) => fixedLength(b.pattern) - fixedLength(a.pattern));
	const find = remembering((name: string): ModelCapabilities => {
		const own = dashed(ownName(name.replace(searching, "")));
		const named = patterns.find(({ pattern }) => matchesPattern(pattern, own))?.capabilities ?? {};
		const known = thinking.test(own) ? { ...named, ...madeToThink } : named;
		return searching.test(name) ? { ...known, searches: "always" } : known;
	});
	// Names come from clients; one this long is no model's, and is not to be kept.
	const byName = (name: string): ModelCapabilities => (name.length > 200 ? {} : find(name));
	return (model, vendor, configured) => {
		const known = byName(model);
		if (vendor === undefined) return configured === undefined ? known : { ...known, ...configured };
		const served = entries.find(({ vendors: words }) => words?.includes(vendor))?.capabilities;
		return { ...known, vendor, ...served, ...configured };
	};
};
