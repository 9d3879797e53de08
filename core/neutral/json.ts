/** Small readers for data from the wire, which is `unknown` until one of these has looked at it. */

/** A JSON object. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object (not null, not an array). */
export const isRecord = (value: unknown): value is WireRecord =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const noMembers: WireRecord = Object.freeze({});
const noItems: readonly unknown[] = Object.freeze([]);

/** The object, or an empty one for anything else. */
export const asRecord = (value: unknown): WireRecord => (isRecord(value) ? value : noMembers);

/** The array, or an empty one for anything else. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : noItems);

/** The string, or undefined for anything else. */
export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The finite number, or undefined for anything else. */
export const asNumber = (value: unknown): number | undefined =>
	typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The count: a whole number from 0 on, or undefined for anything else. */
export const asCount = (value: unknown): number | undefined =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The boolean, or undefined for anything else. */
export const asBoolean = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/** Members that may be undefined become optional; the others stay required. */
type DefinedOnly<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members: what `exactOptionalPropertyTypes` and JSON both want. */
export const definedOnly = <T extends object>(value: T): DefinedOnly<T> => {
	let lacks = false;
	for (const key in value) lacks ||= value[key] === undefined;
	// Many are already what they are to become.
	if (!lacks) return value as DefinedOnly<T>;
	const kept: Record<string, unknown> = {};
	for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
	return kept as DefinedOnly<T>;
};

/**
 * The same text in one piece. One that was put together of many is put together once more with every text it becomes a
 * part of; written and read again it is one. For texts that are made once and used often.
 */
export const inOnePiece = (text: string): string => String(JSON.parse(JSON.stringify(text)));

/** How many bytes a text has as UTF-8; a character of four counts as one of six. */
export const textBytes = (text: string): number => {
	let bytes = text.length;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
	}
	return bytes;
};

/** UTF-8 bytes of the JSON string that begins at `start`, right after its quote; an escape counts as one. */
export const jsonStringBytes = (data: string, start: number): number => {
	let bytes = 0;
	for (let at = start; at < data.length; at++) {
		const unit = data.charCodeAt(at);
		if (unit === 34) break;
		if (unit === 92) at++;
		bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
	}
	return bytes;
};

/** The index of the quote that ends the string which begins at `start`; the text's length where none does. */
export const endOfString = (text: string, start: number): number => {
	for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
		let slashes = 0;
		while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
		if (slashes % 2 === 0) return end;
	}
	return text.length;
};

/** Whether lists and objects of JSON text stand in each other deeper than so many levels. It is told without reading the text. */
const isDeeper = (text: string, levels: number): boolean => {
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit === 34) at = endOfString(text, at);
		else if (unit === 123 || unit === 91) depth++;
		else if (unit === 125 || unit === 93) depth--;
		if (depth > levels) return true;
	}
	return false;
};

/** JSON text as its value, or undefined when it is not JSON. */
export const parseJson = (text: string, reviver?: (key: string, value: unknown) => unknown): unknown => {
	try {
		return JSON.parse(text, reviver);
	} catch {
		return undefined;
	}
};

/** As deep as a request may nest: what is deeper costs too much to read, and overflows whoever walks it. */
const deepest = 64;

/** The same for JSON within a text that a client or a model wrote; undefined also for what nests too deep. */
export const parseShallow = (text: string): unknown => (isDeeper(text, deepest) ? undefined : parseJson(text));

/**
 * A table for words that come from outside. Unlike an object as it is written, it knows none of the words that every
 * object inherits: `constructor` is not in it.
 */
export const lookup = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
	Object.assign(Object.create(null), entries);
