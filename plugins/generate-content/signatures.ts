/**
 * Thought signatures. Gemini's own travel as they are; opaque values of other makers travel in the same field, marked,
 * so that a Gemini client replays them unread. The field holds bytes: SDKs of typed languages decode the base64 and
 * refuse the whole answer where it is none, and some write it in the other alphabet (`-_`) when they replay it.
 */
import { type Block, carry, type Extras, type Opaque, type Origin, uncarryEncoded, type WireRecord } from "#core";
import { protocolName } from "./name.ts";

/** Where signatures come from that bear no mark. */
export const geminiOrigin: Origin = { protocol: protocolName, family: "gemini" };

/** What Gemini 3 takes in place of a signature on a call that another model made. */
export const skipSentinel = "skip_thought_signature_validator";

/** Values that clients put in place of a signature they do not have. */
const placeholders = new Set([skipSentinel, "context_engineering_is_the_way_to_go"]);

/** Stands before the value of reasoning that has no text at all, to tell it from the signature of a visible thought. */
const wholeMark = "~";

/**
 * Stands before the text of a thought that was shown, behind which its signature follows: how many marks of other reasoning
 * stand between it and its call, and the length of the text.
 */
const shownThought = /^=(\d{1,9}),(\d{1,9}):/;

const encoded = (text: string): string =>
	btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));

/** What a signature in a client's history stands for. */
export interface ReadSignature {
	readonly opaque: Opaque;
	/** It is reasoning of its own, not the signature of a text. */
	readonly whole: boolean;
	/** The thought it belongs to, which was shown before the call that bears it. */
	readonly shown?: { readonly text: string; readonly later: number };
}

export const readSignature = (text: string): ReadSignature | undefined => {
	if (text === "" || placeholders.has(text)) return undefined;
	const carried = uncarryEncoded(text);
	if (!carried) return { opaque: { value: text, origin: geminiOrigin }, whole: false };
	const [head, later, length] = shownThought.exec(carried.value) ?? [];
	if (head !== undefined) {
		const end = head.length + Number(length);
		const value = carried.value.slice(end);
		const shown = { text: carried.value.slice(head.length, end), later: Number(later) };
		return { opaque: { ...carried, value }, whole: false, shown };
	}
	if (!carried.value.startsWith(wholeMark)) return { opaque: carried, whole: false };
	return { opaque: { ...carried, value: carried.value.slice(wholeMark.length) }, whole: true };
};

/** The signature as a Gemini client is given it. */
export const writeSignature = (opaque: Opaque): string =>
	isOwn(opaque, geminiOrigin.family) ? opaque.value : encoded(carry(opaque));

/**
 * The mark of reasoning that shows no text. It stands on the text or call that comes after it, where Google puts its own
 * signatures: a part of its own would be an empty text, with which older official clients take the whole turn for none.
 */
export const unseenMark = (block: Block, hidden: boolean): string | undefined => {
	if (block.type === "opaque_thinking") return writeWhole(block.data);
	if (block.type !== "thinking" || !block.signature || (block.text !== "" && !hidden)) return undefined;
	return isForeign(block.signature) ? writeSignature(block.signature) : undefined;
};

/** The mark of a thought that is shown, with its text, for the call that comes after it. */
export const shownMark = (text: string, signature: Opaque, later: number): string =>
	encoded(carry({ ...signature, value: `=${later},${text.length}:${text}${signature.value}` }));

/** The part of reasoning after which nothing came that could bear its mark. */
export const markedPart = (mark: string): WireRecord => ({ text: "", thought: true, thoughtSignature: mark });

/** Stands on a thought that Gemini did not sign while other protocols' clients keep it: whose it was, and nothing to send back. */
const unsignedValue = "unsigned";

/** The mark of a thought that this family of models did not sign. */
export const unsignedMark = (family: string): Opaque => ({
	value: unsignedValue,
	origin: { protocol: protocolName, family },
});

/** True for that mark, which neither Gemini nor its clients are shown. */
export const isUnsigned = ({ value, origin }: Opaque): boolean =>
	value === unsignedValue && origin.protocol === protocolName;

/** True for what no model of this protocol made. */
export const isForeign = ({ origin }: Opaque): boolean => origin.protocol !== protocolName;

/** Reasoning that only its maker can read, as a Gemini client is given it. */
const writeWhole = (opaque: Opaque): string => encoded(carry({ ...opaque, value: wholeMark + opaque.value }));

/** True when a Gemini upstream of that family made the value. */
export const isOwn = (opaque: Opaque, family: string): boolean =>
	opaque.origin.protocol === protocolName && opaque.origin.family === family;

/** True for the text of a signature that no upstream may be shown. */
export const isCarried = (text: unknown): boolean => typeof text === "string" && uncarryEncoded(text) !== undefined;

/** This protocol's own bag. */
export const ownExtras = (extras: Extras | undefined): WireRecord => extras?.[protocolName] ?? {};

/** A bag with these fields in it; nothing when there are none. */
export const bagOf = (fields: WireRecord | undefined): { readonly extras?: Extras } =>
	fields && Object.keys(fields).length > 0 ? { extras: { [protocolName]: fields } } : {};
