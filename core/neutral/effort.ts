/** How much a model is to reason, in the words or the tokens that the model takes: one rule for every protocol. */
import type { ModelCapabilities } from "./model.ts";
import type { Effort, Reasoning } from "./request.ts";

const scale: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The tokens of thinking that an effort stands for where a model is asked in tokens, and the reverse. */
const budgets: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 512,
	low: 1024,
	medium: 8192,
	high: 24_576,
	xhigh: 32_768,
	max: 65_536,
};

/** What every model with levels takes, or nearly: asked of models of which nothing is known. */
const usual: readonly Effort[] = ["low", "medium", "high"];

/** Why a wish for no thinking is told as lost. */
export const thinksAnyway = "this model always thinks; it was asked for as little as it can";

/** Why an effort is told as lost. */
export const noLevels = "this model has no levels of effort";

/** Stands where a model insists on reasoning that it never did; an empty text may count as none. */
export const noReasoning = "(The reasoning of this step is not at hand.)";

/** What a client wants of the model's thinking, as tokens within what the model takes. */
export const fittingBudget = (
	{ effort = "medium", budget = budgets[effort] }: Reasoning,
	bounds: ModelCapabilities["budget"],
): number => Math.min(Math.max(budget, bounds?.min ?? 0), bounds?.max ?? Number.POSITIVE_INFINITY);

/** What a client wants of the model's thinking, as one of the efforts that it takes; where none are known, as the client says it. */
export const fittingEffort = (
	{ mode, effort, budget }: Reasoning,
	taken: readonly Effort[] | undefined,
): Effort | undefined => {
	const asked = mode === "off" ? "none" : effort;
	if (asked !== undefined) return taken ? nearestEffort(asked, taken) : asked;
	return budget === undefined ? undefined : nearestEffort(effortOfBudget(budget), taken ?? usual);
};

const effortOfBudget = (budget: number): Effort =>
	scale.find((effort) => effort !== "none" && effort !== "max" && budget <= budgets[effort]) ?? "xhigh";

/** The nearest effort that the model takes, rather less than more; `none` only for `none`. Undefined where it takes none. */
export const nearestEffort = (effort: Effort, taken: readonly Effort[]): Effort | undefined => {
	if (taken.includes(effort)) return effort;
	const offered = scale.filter((one) => one !== "none" && taken.includes(one));
	return offered.findLast((one) => scale.indexOf(one) <= scale.indexOf(effort)) ?? offered[0];
};

/** The effort that a word is; undefined for any other. */
export const asEffort = (word: unknown): Effort | undefined => scale.find((effort) => effort === word);

/** Why what is sent for an effort is told as lost; undefined where it is not. */
export const effortLoss = (asked: unknown, sent: unknown): string | undefined => {
	if (asked === "none" && sent !== "none") return thinksAnyway;
	return asEffort(asked) !== undefined && sent === undefined ? noLevels : undefined;
};

/** The word to send for one that a client chose in the upstream's own protocol: another only where the model is known to refuse it. */
export const effortToSend = (asked: unknown, { efforts, effortsAssumed }: ModelCapabilities): unknown => {
	const word = asEffort(asked);
	if (word === undefined || efforts === undefined || effortsAssumed === true) return asked;
	return nearestEffort(word, efforts);
};

/** Whether the model refuses temperature and top_p of a request that wants this of its thinking. */
export const refusesSampling = ({ samplingRefused }: ModelCapabilities, reasoning: Reasoning | undefined): boolean => {
	if (typeof samplingRefused !== "string") return samplingRefused === true;
	if (reasoning?.mode === "off") return false;
	return samplingRefused === "thinking" || reasoning?.mode === "on";
};
