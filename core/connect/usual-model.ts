/** Which model a client is told to ask for, where nobody says. */
import type { ModelInfo } from "../contract/model-listing.ts";

/**
 * The first that answers in words: one that embeds refuses every client. People who have models of their own do not mean the
 * demo. Undefined where none is known by its name.
 */
export const usualModel = (models: readonly ModelInfo[]): string | undefined => {
	const [first, ...rest] = models.filter(({ capabilities }) => capabilities.embeds !== true).map(({ name }) => name);
	return first === "demo" ? (rest[0] ?? first) : first;
};
