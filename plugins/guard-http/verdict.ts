/** What an inspector answers. Whatever is not one of the three words is no answer. */
import { asList, asRecord, asText, isRecord } from "#core";

export type Verdict =
	| { readonly action: "pass" }
	| { readonly action: "refuse"; readonly message: string; readonly code: string }
	| {
			readonly action: "replace";
			/** In the order of those that were sent. */
			readonly texts: readonly string[];
			/** What is to be put back in the answer: stand-ins, and the words they stand for. */
			readonly restore: ReadonlyMap<string, string>;
	  };

const longestMessage = 500;

const codeOf = (code: unknown): string =>
	typeof code === "string" && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : "guard_refused";

const restoreOf = (value: unknown): ReadonlyMap<string, string> => {
	const entries = Object.entries(asRecord(value));
	const words = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[0] !== "");
	if ((value !== undefined && !isRecord(value)) || words.length < entries.length)
		throw new TypeError("its restore is no object of texts");
	return new Map(words);
};

/** `sent`: how many texts it was asked about. Throws `TypeError` for what is no answer. */
export const readVerdict = (answer: unknown, sent: number): Verdict => {
	const { action, texts, restore, message, code } = asRecord(answer);
	if (action === "pass") return { action };
	if (action === "refuse") {
		const said = asText(message)?.slice(0, longestMessage);
		return { action, message: said || "An inspection refused this call.", code: codeOf(code) };
	}
	if (action !== "replace") throw new TypeError('its action is none of "pass", "replace" and "refuse"');
	const given = asList(texts).filter((text) => typeof text === "string");
	if (given.length !== sent || asList(texts).length !== sent)
		throw new TypeError(`it gave ${asList(texts).length} texts in the place of ${sent}`);
	return { action, texts: given, restore: restoreOf(restore) };
};
