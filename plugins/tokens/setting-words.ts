/** The words of a command line as values of token settings. */
import { refuseCommand, type TSchema } from "#core";

/**
 * By commas, or as JSON: taken for one word, a list in brackets would be a rule that fits nothing. Without a word it is most
 * likely a variable that is not set, and an empty list would allow everything.
 */
const listOf = (words: string, flag: string): readonly unknown[] => {
	try {
		const list: unknown = JSON.parse(words);
		if (Array.isArray(list)) return list;
	} catch {
		// Not JSON: words and patterns as they are.
	}
	const list = words
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "");
	return list.length > 0 ? list : refuseCommand(`--${flag} takes words by commas, or none for no rule, not "${words}"`);
};

/** Words of the command line as the setting's schema wants them: numbers, lists by commas or as JSON, JSON for objects. `none` removes. */
export const wordsAsValue = (schema: TSchema, words: string, flag: string): unknown => {
	if (words === "none") return null;
	switch (schema["type"]) {
		case "number":
		case "integer": {
			const number = Number(words);
			return words.trim() !== "" && Number.isFinite(number)
				? number
				: refuseCommand(`--${flag} takes a number, not "${words}"`);
		}
		case "boolean":
			return (
				words === "true" || (words === "false" ? false : refuseCommand(`--${flag} takes true or false, not "${words}"`))
			);
		case "array":
			return listOf(words, flag);
		case "object":
			try {
				return JSON.parse(words);
			} catch {
				return refuseCommand(`--${flag} takes a JSON object`);
			}
		default:
			return words;
	}
};
