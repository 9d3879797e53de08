/** What the demo counts an input as: a text by its words, a list of token ids by how many there are. */
import { estimateTextTokens } from "#core";

/** `input`: a text, token ids, or a list of either. */
export const inputTokens = (input: unknown): number => {
	if (Array.isArray(input)) return input.reduce((sum: number, one: unknown) => sum + inputTokens(one), 0);
	return typeof input === "string" ? estimateTextTokens(input) : 1;
};
