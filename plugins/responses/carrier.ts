/**
 * Opaque values of other protocols, carried through Responses clients: they replay a reasoning item's
 * `encrypted_content` unread, so it is where a Claude signature or a Gemini thought signature travels.
 */
import { carry, type Opaque, uncarry } from "#core";

/**
 * What the value belongs to. `thinking`: the signature of this very item; `redacted`: thinking that is nothing but the
 * value; `empty`: a text without letters that carries a signature; `next` and `previous`: the neighbouring item.
 */
export type Bearer = "thinking" | "redacted" | "empty" | "next" | "previous";

const bearers: ReadonlySet<string> = new Set<Bearer>(["thinking", "redacted", "empty", "next", "previous"]);

const isBearer = (word: string): word is Bearer => bearers.has(word);

/** The string for `encrypted_content`. */
export const carryFor = (bearer: Bearer, { value, origin }: Opaque): string =>
	carry({ value: `${bearer}.${value}`, origin });

/** What such a string carried; undefined for a value of this protocol's own. */
export const uncarryFor = (text: string): { readonly bearer: Bearer; readonly opaque: Opaque } | undefined => {
	const carried = uncarry(text);
	if (carried === undefined) return undefined;
	const dot = carried.value.indexOf(".");
	const bearer = carried.value.slice(0, dot);
	if (dot === -1 || !isBearer(bearer)) return { bearer: "thinking", opaque: carried };
	return { bearer, opaque: { value: carried.value.slice(dot + 1), origin: carried.origin } };
};

/** True for text in which a carried value may stand: a cheap look before anything is parsed. */
export const mayCarry = (text: string): boolean => text.includes('"portico.');
