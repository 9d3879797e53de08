/** How many input tokens a request is billed at most, at a model whose context window and pictures may be known. */
import type { RequestBound } from "#core";

/** No provider counts an ordinary picture as more, but for models whose description says so. */
const usualPicture = 16_384;
/** What a model reads at most that reads more than the body, where its context window is not known. */
const unknownWindow = 200_000;

/** What is known of a model. */
export interface Reader {
	readonly contextWindow?: number | undefined;
	/** The most tokens of one picture. */
	readonly imageTokens?: number | undefined;
}

export const inputTokens = (bound: RequestBound, { contextWindow, imageTokens }: Reader): number => {
	const once = bound.tokens + bound.images * (imageTokens ?? usualPicture);
	// Each round of a hosted tool reads the request again; together they fill at least one window.
	const all = bound.open ? Math.max(contextWindow ?? Math.max(once, unknownWindow), once * roundsIn(bound)) : once;
	// A summary is of all, and read in its place.
	return bound.summary === undefined ? all : 2 * all + bound.summary;
};

const roundsIn = ({ turns }: RequestBound): number => (turns > 1 ? turns : 0);
