/** Carries what guards changed in the neutral form back into a body, text by text. */
import { isRecord } from "../../neutral/json.ts";

/** What words may stand in: a number too. */
export const isText = (value: unknown): value is string | number =>
	typeof value === "string" || typeof value === "number";

/** Walks two values of the same shape together; false when their shapes differ. */
const compare = (was: unknown, is: unknown, pair: (from: string, to: string) => boolean): boolean => {
	if (was === is) return true;
	if (isText(was) && isText(is)) return pair(String(was), String(is));
	if (Array.isArray(was) && Array.isArray(is))
		return was.length === is.length && was.every((one, index) => compare(one, is[index], pair));
	if (!isRecord(was) || !isRecord(is)) return false;
	const keys = Object.keys(is);
	const old = Object.entries(was);
	const each = ([key, one]: [string, unknown], index: number): boolean => {
		const now = keys[index] ?? "";
		return (key === now || pair(key, now)) && compare(one, is[now], pair);
	};
	return old.length === keys.length && old.every(each);
};

/** The texts that differ between two values of the same shape. Undefined when one text became two different ones, or the shapes differ. */
export const changedWords = (before: unknown, after: unknown): ReadonlyMap<string, string> | undefined => {
	const words = new Map<string, string>();
	const pair = (from: string, to: string): boolean => {
		if (from === to) return true;
		const known = words.get(from);
		words.set(from, known ?? to);
		return known === undefined || known === to;
	};
	return compare(before, after, pair) ? words : undefined;
};

/** The same JSON with every text that was changed in its new words; texts that only hold one are left. */
export const editWords = (value: unknown, words: ReadonlyMap<string, string>): unknown => {
	if (isText(value)) return words.get(String(value)) ?? value;
	if (Array.isArray(value)) return value.map((one) => editWords(one, words));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [words.get(key) ?? key, editWords(inner, words)]),
	);
};
