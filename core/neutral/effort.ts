/** How much a model is to reason, in the words that the model takes. */
import type { ModelCapabilities } from "./model.ts";
import type { Effort } from "./request.ts";

const scale: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const budgets: readonly (readonly [number, Effort])[] = [
	[512, "minimal"],
	[1024, "low"],
	[8192, "medium"],
	[24_576, "high"],
];

/** What every model with levels takes, or nearly: asked of models of which nothing is known. */
const usual: readonly Effort[] = ["low", "medium", "high"];

/** The effort nearest to a budget of tokens, of those that the model takes. */
export const effortOfBudget = (budget: number, taken: readonly Effort[] | undefined): Effort | undefined =>
	nearestEffort(budgets.find(([most]) => budget <= most)?.[1] ?? "xhigh", taken ?? usual);

/** The nearest effort that the model takes, rather less than more; `none` only for `none`. Undefined where it takes none. */
export const nearestEffort = (effort: Effort, taken: readonly Effort[]): Effort | undefined => {
	if (taken.includes(effort)) return effort;
	const offered = scale.filter((one) => one !== "none" && taken.includes(one));
	return offered.findLast((one) => scale.indexOf(one) <= scale.indexOf(effort)) ?? offered[0];
};

/** The word to send for one that a client chose in the upstream's own protocol: another only where the model is known to refuse it. */
export const effortToSend = (asked: unknown, { efforts, effortsAssumed }: ModelCapabilities): unknown => {
	const word = scale.find((effort) => effort === asked);
	if (word === undefined || efforts === undefined || effortsAssumed === true) return asked;
	return nearestEffort(word, efforts);
};
