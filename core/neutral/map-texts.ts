/** Changes every text in a neutral value, wherever it stands, and leaves alone what names things or is not for people. */
import type { ToolArguments } from "./content.ts";
import { isRecord } from "./json.ts";

type Change = (text: string) => string;

/** Fields of the neutral form that are no words: kinds, names that lead back, values only their maker reads, bytes. */
const structural = new Set(
	`type role id callId itemId fileId previousId protocol family model mime base64 data origin signature opaque form mode by
	kind tool name names reason namespace vendorType schemaDialect dialect detail status effort summary expose tier`.split(
		/\s+/,
	),
);

/** The same in fields that came as JSON, in the words of any vendor. */
const wireStructural = new Set(
	`type role id call_id item_id tool_use_id tool_call_id signature thoughtSignature continuationToken encrypted_content
	mime_type media_type mimeType status`.split(/\s+/),
);

/** Whether a text in a field of this name, in the words of any vendor, names something or is for its maker alone. */
export const namesThings = (field: string): boolean => wireStructural.has(field);

/** Fields of the neutral form whose values are JSON of somebody else's. */
const foreign = new Set(
	"extras raw schema value result config format audio image conversation safety item cacheOptions".split(" "),
);

/** The same where it is the caller's own, in which no name of a field means anything to a vendor: an `id` is data. */
const own = new Set(["structured", "metadata"]);
const none: ReadonlySet<string> = new Set();

const mapped = <T extends object>(node: T, entries: Iterable<readonly [string, unknown, unknown]>): T => {
	let copy: Record<string, unknown> | undefined;
	for (const [key, was, is] of entries) {
		if (was === is) continue;
		copy ??= { ...(node as Record<string, unknown>) };
		copy[key] = is;
	}
	return (copy as T | undefined) ?? node;
};

const mapList = <T>(list: readonly T[], each: (one: T) => T): readonly T[] => {
	let copy: T[] | undefined;
	for (const [index, one] of list.entries()) {
		const next = each(one);
		if (next === one) continue;
		copy ??= [...list];
		copy[index] = next;
	}
	return copy ?? list;
};

/** What becomes of numbers, and of names of fields, where that is not what becomes of texts. */
interface Others {
	readonly number: Change;
	readonly name: Change;
}

/** Any JSON: texts, numbers that would be changed if they were texts, and names of fields. Texts in fields called as in `kept` stay. */
export const mapJsonTexts = (
	value: unknown,
	change: Change,
	kept: ReadonlySet<string> = wireStructural,
	others: Others = { number: change, name: change },
): unknown => {
	if (typeof value === "string") return change(value);
	if (typeof value === "number" || JSON.isRawJSON(value)) {
		const text = JSON.stringify(value);
		const changed = others.number(text);
		return changed === text ? value : changed;
	}
	const within = (inner: unknown) => mapJsonTexts(inner, change, kept, others);
	if (Array.isArray(value)) return mapList(value as readonly unknown[], within);
	if (!isRecord(value)) return value;
	const entries = Object.entries(value);
	const next = entries.map(([key, inner]): [string, unknown] =>
		kept.has(key) && typeof inner === "string" ? [key, inner] : [others.name(key), within(inner)],
	);
	const same = next.every(([key, inner], index) => key === entries[index]?.[0] && inner === entries[index]?.[1]);
	return same ? value : Object.fromEntries(next);
};

/** A number that is no more than a measure, as those of a vector are: one with a fraction, or of few digits. */
const isMeasure = (number: string): boolean => /^-?(?:\d{1,7}|\d+\.\d+)(?:e[+-]?\d+)?$/i.test(number);
const isPlainName = (name: string): boolean => /^[a-z][a-z0-9_/-]*$/i.test(name);

/** The JSON of an answer, without what says nothing to anybody: measures, and names of fields that are plain words. */
export const mapAnswerTexts = (value: unknown, change: Change): unknown =>
	mapJsonTexts(value, change, undefined, {
		number: (text) => (isMeasure(text) ? text : change(text)),
		name: (text) => (isPlainName(text) ? text : change(text)),
	});

const mapArguments = (given: ToolArguments, change: Change): ToolArguments => {
	if (given.form === "json") {
		const value = mapJsonTexts(given.value, change, none);
		return value === given.value ? given : { form: "json", value, text: JSON.stringify(value) };
	}
	const text = change(given.text);
	return text === given.text ? given : { ...given, text };
};

const mapNode = (node: unknown, change: Change): unknown => {
	if (typeof node === "string") return change(node);
	if (Array.isArray(node)) return mapList(node as readonly unknown[], (one) => mapNode(one, change));
	if (!isRecord(node)) return node;
	const isCall = node["type"] === "tool_call";
	const entries = Object.entries(node).map(([key, was]): [string, unknown, unknown] => {
		if (isCall && key === "arguments") return [key, was, mapArguments(was as ToolArguments, change)];
		if (own.has(key)) return [key, was, mapJsonTexts(was, change, none)];
		if (foreign.has(key) || (key === "arguments" && !isCall)) return [key, was, mapJsonTexts(was, change)];
		// What takes part in a conversation has a name for people; what is called has one that leads back.
		if (structural.has(key) && !(key === "name" && "role" in node)) return [key, was, was];
		return [key, was, mapNode(was, change)];
	});
	return mapped(node, entries);
};

/**
 * `node`: a request, a message or a block. The very same object is given back when nothing changed. Arguments of a tool
 * call are changed value by value and written again as JSON; `raw`, the body as the client sent it, stays.
 */
export const mapTexts = <T extends object>(node: T, change: Change): T => {
	if (!("messages" in node && "raw" in node)) return mapNode(node, change) as T;
	const { raw, ...rest } = node;
	const next = mapNode(rest, change);
	return next === rest ? node : ({ ...(next as object), raw } as unknown as T);
};

/**
 * Replaces every key of `words` in a text by its value; of several that begin at one place, the longest. The words are not
 * looked for one by one: a request may hold as many as it is long, and its answer is asked about piece by piece.
 */
export const restorer = (words: ReadonlyMap<string, string>): ((text: string) => string) => {
	const stands = [...words.keys()].filter((stand) => stand !== "");
	const lengths = [...new Set(stands.map(({ length }) => length))].sort((one, other) => other - one);
	const beginnings = new Set(stands.map((stand) => stand.charAt(0)));
	const [only, ...others] = beginnings;
	const next = (text: string, from: number): number => {
		if (only === undefined) return -1;
		if (others.length === 0) return text.indexOf(only, from);
		for (let at = from; at < text.length; at++) if (beginnings.has(text.charAt(at))) return at;
		return -1;
	};
	const standAt = (text: string, at: number): string | undefined => {
		for (const length of lengths) {
			const stand = text.slice(at, at + length);
			if (words.has(stand)) return stand;
		}
		return undefined;
	};
	return (text) => {
		let restored = "";
		let done = 0;
		for (let at = next(text, 0); at !== -1; at = next(text, Math.max(at + 1, done))) {
			const stand = standAt(text, at);
			if (stand === undefined) continue;
			restored += text.slice(done, at) + words.get(stand);
			done = at + stand.length;
		}
		return restored + text.slice(done);
	};
};

/** Every key of `words` in the text, replaced by its value. */
export const restoreWords = (text: string, words: ReadonlyMap<string, string>): string => restorer(words)(text);

/** A text within JSON text. */
export const asJsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
