/**
 * What an encoder cannot carry. It names the neutral place: a setting of the request, or a node of it and a member of
 * that node. The client's protocol has the words: Portico tells `input[3]` and `max_uses` to whom sent those.
 */

import type { Extras } from "./content.ts";
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
}

/** Gathers what one encoding leaves behind. */
export class Losses {
	private readonly found: NeutralLoss[] = [];

	setting(setting: Setting, reason: string): void {
		this.found.push({ setting, reason });
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

const notUnderstood = "only the client's own protocol knows it";

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** The fields of a bag that say something and are not harmless; of a group, its members. */
const tellingNames = (bag: Readonly<Record<string, unknown>>, language: LossWords): readonly string[] =>
	Object.entries(bag).flatMap(([name, value]) => {
		if (Object.hasOwn(language.harmless, name) || isEmpty(value)) return [];
		return language.groups.includes(name) && isRecord(value) ? tellingNames(value, language) : [name];
	});

/** Names of fields that only a foreign protocol understands. */
const foreignNames = (extras: Extras | undefined, upstream: string, language: LossWords): readonly string[] =>
	Object.entries(extras ?? {}).flatMap(([protocol, bag]) => (protocol === upstream ? [] : tellingNames(bag, language)));

const nodesOf = function* ({ messages, tools = [] }: NeutralRequest): Generator<{ readonly extras?: Extras }> {
	for (const message of messages) {
		yield message;
		for (const block of message.blocks) {
			yield block;
			if (block.type === "tool_result" || block.type === "search_result") yield* block.content;
		}
	}
	for (const tool of tools) yield tool;
};

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

/** Every field of the client's protocol in what was not lost as a whole: nobody else understands it. */
const unsaid = function* (
	request: NeutralRequest,
	upstream: string,
	language: LossWords,
	whole: ReadonlySet<object>,
): Generator<string> {
	yield* foreignNames(request.extras, upstream, language);
	for (const node of nodesOf(request)) {
		if (node.extras === undefined || whole.has(node)) continue;
		const place = placeOf(node) ?? "";
		for (const name of foreignNames(node.extras, upstream, language)) yield place === "" ? name : `${place}.${name}`;
	}
};

/** For a protocol without words of its own: the neutral names, and every field of its bags. */
const plainWords: LossWords = { words: {}, groups: [], harmless: {} };

/** Losses as the client is told them, one for each place: what was said of them, and every field that nobody else understands. */
export const wordLosses = (
	losses: readonly NeutralLoss[],
	request: NeutralRequest,
	upstream: string,
	language = plainWords,
): readonly Loss[] => {
	const byPath = new Map<string, Loss>();
	const add = (path: string, reason: string): void => {
		if (path !== "" && !byPath.has(path)) byPath.set(path, { path, reason });
	};
	for (const loss of losses) add(pathOf(loss, language, request.raw), loss.reason);
	const whole = new Set(losses.flatMap(({ node, setting }) => (node && setting === undefined ? [node] : [])));
	for (const path of unsaid(request, upstream, language, whole)) add(path, notUnderstood);
	return [...byPath.values()];
};
