/** The guard of an answer that puts back a client's own words, also where they stand within the JSON of a tool call. */
import type { AnswerGuard } from "../../contract/guard.ts";
import { asJsonText, restorer } from "../../neutral/map-texts.ts";

export const restoring = (words: ReadonlyMap<string, string>): AnswerGuard => {
	const inJson = new Map([...words].map(([stand, own]) => [asJsonText(stand), asJsonText(own)]));
	const restored = { words: restorer(words), inJson: restorer(inJson) };
	// Too many to be arguments of one call.
	const window = [...words.keys(), ...inJson.keys()].reduce((most, { length }) => Math.max(most, length), 0);
	return {
		window,
		inspect({ type, text }) {
			const replace = type === "arguments" ? restored.inJson(text) : restored.words(text);
			return replace === text ? undefined : { replace };
		},
	};
};
