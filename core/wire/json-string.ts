/** Where a string of a JSON text ends. */
import { Fault } from "../contract/fault.ts";
import { endOfString } from "../neutral/json.ts";

const backslash = 92;

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
