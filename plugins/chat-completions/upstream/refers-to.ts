/** Refusals that name the protocol to ask in. */
import { asRecord, asText, parseJson } from "#core";

/**
 * OpenAI takes functions of a model that reasons, and some models altogether, by Responses alone, and says so. Which models
 * those are changes with each of them: its word is believed, and no list kept.
 */
export const refersTo = (status: number, text: string): string | undefined => {
	if (status !== 400 && status !== 404) return undefined;
	const { message } = asRecord(asRecord(parseJson(text))["error"]);
	return /\bv1\/responses\b/.test(asText(message) ?? "") ? "responses" : undefined;
};
