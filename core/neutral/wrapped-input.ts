/** Custom tools for upstreams that know functions only: the free text travels as the one argument `input`. */
import { asText, isRecord, parseJson } from "./json.ts";

/** What may end arguments that broke off, in the string or behind it. */
const endings = ['"}', "}"];
const beginning = '{"input":"';

/** The text in arguments that broke off; undefined for what never was in that form. */
const begunInput = (text: string): string | undefined => {
	if (beginning.startsWith(text.replace(/\s+/g, ""))) return "";
	// An escape that broke off stands for no letter yet.
	const whole = text.replace(/(?<!\\)((?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i, "$1");
	const values = endings.map((ending) => parseJson(whole + ending)).filter(isRecord);
	return asText(values[0]?.["input"]);
};

/** The text in the arguments of such a function, also when they broke off; what is not in that form is taken as it is. */
export const unwrapInput = (text: string): string => {
	const value = parseJson(text);
	if (value === undefined) return begunInput(text) ?? text;
	return (isRecord(value) ? asText(value["input"]) : asText(value)) ?? text;
};

/** The arguments of such a function. */
export const wrapInput = (input: string): string => JSON.stringify({ input });
