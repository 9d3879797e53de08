/** Integers in JSON that are larger than a number can hold: ids of 64 bits, which a model must give back as they are. */
import { parseJson } from "./json.ts";

declare global {
	interface JSON {
		rawJSON(text: string): object;
		isRawJSON(value: unknown): boolean;
	}
}

const isUnsafe = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether the JSON text holds such an integer; also true where a string only looks so. */
export const holdsLargeInteger = (text: string): boolean =>
	/\d{16}/.test(text) &&
	text.matchAll(/[[:,]\s*(-?\d{16,})(?![\d.eE])/g).some(([, digits]) => isUnsafe(Number(digits)));

const keepLarge = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
	const source = context?.source;
	return isUnsafe(value) && source !== undefined && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value;
};

/** The value of JSON text that is to be written again: its large integers are written as they stood. */
export const parseExactly = (text: string): unknown =>
	holdsLargeInteger(text) ? parseJson(text, keepLarge) : parseJson(text);

/** The value of a call's arguments, to be written again. */
export const writtenValue = ({ value, text }: { readonly value: unknown; readonly text: string }): unknown =>
	holdsLargeInteger(text) ? parseExactly(text) : value;
