/**
 * What an encoder cannot carry. It names the neutral place: a setting of the request, or a node of it and a member of
 * that node. The client's protocol has the words: Portico tells `input[3]` and `max_uses` to whom sent those.
 */

import { isDeepStrictEqual } from "node:util";
import type { Block, Extras } from "./content.ts";
import { isRecord } from "./json.ts";
import type { Loss } from "./model.ts";
import { placeOf } from "./place.ts";
import type { NeutralRequest } from "./request.ts";

/** Settings of a request, and members of its nodes, that may have to be left behind. */
export type Setting =
	| keyof NeutralRequest["sampling"]
	| keyof NonNullable<NeutralRequest["identity"]>
	| Exclude<keyof NeutralRequest, "protocol" | "model" | "sampling" | "identity" | "state" | "extras" | "raw">
	| "previousId"
	| "conversation"
	| "store"
	| "background"
	| "truncation"
	| "include"
	| "formatStrict"
	| "formatSchema"
	| "schema"
	| "budget"
	| "summary"
	| "allowedDomains"
	| "blockedDomains"
	| "maxUses"
	| "userLocation"
	| "contextSize"
	| "strict"
	| "grammar"
	| "description"
	| "isError"
	| "name"
	| "title"
	| "context"
	| "citationsEnabled"
	| "citations"
	| "detail"
	| "filename";

/** One thing left behind: a setting of the request, a node of it, or a member of a node. */
export type NeutralLoss = { readonly reason: string } & (
	| { readonly setting: Setting; readonly node?: undefined }
	| { readonly setting?: Setting; readonly node: object }
);

/** How a protocol's clients call what may be lost. */
export interface LossWords {
	/** The client's own name; of several, the first that the request holds. A setting without a word keeps its neutral name. */
	readonly words: Readonly<Partial<Record<Setting, string | readonly string[]>>>;
	/** Fields of this protocol's bags whose members are told one by one, such as `generationConfig`. */
	readonly groups: readonly string[];
	/** Fields of this protocol's bags that no other protocol needs to be told of, each with the reason why. */
	readonly harmless: Readonly<Record<string, string>>;
	/** Values of such fields that say what holds anyway. */
	readonly usual?: Readonly<Record<string, unknown>>;
}

/** Nothing is asked for by it. */
const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Words for the tier that there is without any. */
const usualTiers: readonly string[] = ["auto", "default", "standard"];

/** What a request asks for beside what is said; what says what holds anyway is left out. */
const askedFor = (request: NeutralRequest): readonly Setting[] => {
	const { maxOutputTokens, stop, maxToolCalls, verbosity, audio, image, safety, cacheKey, cacheRetention } = request;
	const { candidates = 1, tier = "auto", toolChoice, parallelTools, format, reasoning, logprobs, modalities } = request;
	const said = { maxOutputTokens, stop, maxToolCalls, verbosity, audio, image, safety, cacheKey, cacheRetention };
	const asked: Readonly<Partial<Record<Setting, unknown>>> = {
		...request.sampling,
		...request.identity,
		...said,
		...(!usualTiers.includes(tier) && { tier }),
		...(candidates > 1 && { candidates }),
		...(toolChoice?.mode !== "auto" && { toolChoice }),
		...(parallelTools === false && { parallelTools }),
		...(format?.type !== "text" && { format }),
		...(reasoning?.mode !== "default" && { reasoning }),
		...(logprobs?.enabled === true && { logprobs }),
		...(modalities?.some((one) => one !== "text") && { modalities }),
	};
	return (Object.keys(asked) as Setting[]).filter((setting) => !isEmpty(asked[setting]));
};

/** Gathers what one encoding leaves behind. */
export class Losses {
	private readonly found: NeutralLoss[] = [];

	setting(setting: Setting, reason: string): void {
		this.found.push({ setting, reason });
	}

	/**
	 * Every setting that the request has, but those that are taken: for an upstream that knows few.
	 *
	 * @example
	 * losses.allBut(["maxOutputTokens", "temperature"], request, "the post office has no such setting");
	 */
	allBut(taken: readonly Setting[], request: NeutralRequest, reason: string): void {
		for (const setting of askedFor(request)) if (!taken.includes(setting)) this.setting(setting, reason);
	}

	/** The node as a whole, or a member of it. */
	node(node: object, reason: string, setting?: Setting): void {
		this.found.push({ node, reason, ...(setting !== undefined && { setting }) });
	}

	/** The node as a whole, which is not to vanish: what stands in its place, so that the words around it still make sense. */
	leaveOut(node: object, what: string): string {
		this.node(node, `the upstream cannot take ${what}`);
		return `[Left out here: ${what}, which this model cannot take.]`;
	}

	list(): readonly NeutralLoss[] {
		return this.found;
	}
}

/** What stands in an answer for media that the client's protocol cannot hold. */
export const unshown = (what: string): string => `The model answered with ${what}, which this protocol cannot show.`;

const none: readonly never[] = [];

const notUnderstood = "only the client's own protocol knows it";

const wordOf = (setting: Setting, { words }: LossWords, raw: NeutralRequest["raw"]): string => {
	const word = words[setting] ?? setting;
	if (typeof word === "string") return word;
	return word.find((one) => Object.hasOwn(raw, one.split(".")[0] ?? one)) ?? word[0] ?? setting;
};

/** Where a loss happened, in the client's words; empty for what the client never sent. */
const pathOf = ({ node, setting }: NeutralLoss, language: LossWords, raw: NeutralRequest["raw"]): string => {
	const word = setting === undefined ? "" : wordOf(setting, language, raw);
	if (node === undefined) return word;
	const place = placeOf(node) ?? ("type" in node ? String(node.type) : "messages");
	return place === "" || word === "" ? place : `${place}.${word}`;
};

/** For a protocol without words of its own: the neutral names, and every field of its bags. */
const plainWords: LossWords = { words: {}, groups: [], harmless: {} };

/** Losses as a client is told them, while they are found: one for each place, the first that is found there. */
class WordedLosses {
	private readonly byPath = new Map<string, Loss>();
	private readonly upstream: string;
	private readonly language: LossWords;
	/** Nodes that were lost as a whole: what they held need not be told. */
	private readonly whole = new Set<object>();

	constructor(upstream: string, language: LossWords) {
		this.upstream = upstream;
		this.language = language;
	}

	said(loss: NeutralLoss, raw: NeutralRequest["raw"]): void {
		if (loss.node && loss.setting === undefined) this.whole.add(loss.node);
		this.add(pathOf(loss, this.language, raw), loss.reason);
	}

	/** Every field in the bags of a node, or of a request, that belongs to a protocol which the upstream does not speak. */
	foreign(node: object, extras: Extras): void {
		if (this.whole.has(node)) return;
		const place = placeOf(node) ?? "";
		for (const protocol in extras) if (protocol !== this.upstream) this.telling(extras[protocol], place);
	}

	/** The fields of a bag that say something and are not harmless; of a group, its members. */
	private telling(bag: Readonly<Record<string, unknown>> | undefined, place: string): void {
		const { harmless, groups, usual = {} } = this.language;
		for (const name in bag) {
			const value = bag[name];
			if (Object.hasOwn(harmless, name) || isEmpty(value)) continue;
			if (Object.hasOwn(usual, name) && isDeepStrictEqual(value, usual[name])) continue;
			if (groups.includes(name) && isRecord(value)) this.telling(value, place);
			else this.add(place === "" ? name : `${place}.${name}`, notUnderstood);
		}
	}

	private add(path: string, reason: string): void {
		if (path !== "" && !this.byPath.has(path)) this.byPath.set(path, { path, reason });
	}

	list(): readonly Loss[] {
		return [...this.byPath.values()];
	}
}

const foreignInBlocks = (worded: WordedLosses, blocks: readonly Block[]): void => {
	for (const block of blocks) {
		if (block.extras) worded.foreign(block, block.extras);
		if (block.type !== "tool_result" && block.type !== "search_result") continue;
		for (const inner of block.content) if (inner.extras) worded.foreign(inner, inner.extras);
	}
};

/** Losses as the client is told them, one for each place: what was said of them, and every field that nobody else understands. */
export const wordLosses = (
	losses: readonly NeutralLoss[],
	request: NeutralRequest,
	upstream: string,
	language = plainWords,
): readonly Loss[] => {
	const worded = new WordedLosses(upstream, language);
	for (const loss of losses) worded.said(loss, request.raw);
	if (request.extras) worded.foreign(request, request.extras);
	for (const message of request.messages) {
		if (message.extras) worded.foreign(message, message.extras);
		foreignInBlocks(worded, message.blocks);
	}
	for (const tool of request.tools ?? none) if (tool.extras) worded.foreign(tool, tool.extras);
	return worded.list();
};
