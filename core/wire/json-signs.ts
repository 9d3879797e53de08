/** The signs of a JSON text for those who go through it by hand, and where its strings end. */
import { Fault } from "../contract/fault.ts";
import { endOfString } from "../neutral/json.ts";

export const quote = 34;
export const comma = 44;
export const colon = 58;
const backslash = 92;

export const opens = (code: number): boolean => code === 123 || code === 91;
export const closes = (code: number): boolean => code === 125 || code === 93;
export const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** The index just after the string that opens at `start`; `close` is the first quote that may end it. */
export const skipString = (text: string, start: number, close = text.indexOf('"', start + 1)): number =>
	close !== -1 && text.charCodeAt(close - 1) !== backslash ? close + 1 : skipEscapes(text, start);

const skipEscapes = (text: string, start: number): number => {
	const end = endOfString(text, start);
	if (end < text.length) return end + 1;
	throw new Fault({
		kind: "invalid_request",
		code: "invalid_json",
		message: "The request body is not valid JSON: a string is not closed.",
	});
};
