/** What tokens cost otherwise in calls with a long input: as the config says it, and as rates that change. */
import type { ConfiguredPrice } from "./prices-config.ts";
import type { Price, Rate } from "./service.ts";

/** Apart from `rateAt`, which most calls get through without a closure. */
const changingRateAt = ({ base, steps }: Exclude<Rate, number>, inputTokens: number): number =>
	steps.findLast(({ above }) => inputTokens > above)?.rate ?? base;

/** Dollars for a million tokens in a call whose input is so long. */
export const rateAt = (rate: Rate, inputTokens: number): number =>
	typeof rate === "number" ? rate : changingRateAt(rate, inputTokens);

/** The kinds of tokens that it may be said of, each with the one whose rate it has where it has none. */
const kinds = [
	["input", "input"],
	["output", "output"],
	["cacheRead", "input"],
	["cacheWrite", "input"],
	["cacheWriteLong", "cacheWrite"],
	["reasoning", "output"],
] as const;

/** The price with its rates changing by how long the input is. A kind that is only told of long calls costs the same in short ones. */
export const withSteps = ({ longInput, ...price }: ConfiguredPrice): Price => {
	if (!longInput) return price;
	const ascending = longInput.toSorted((one, other) => one.above - other.above);
	const changing: Record<string, Rate> = {};
	for (const [kind, usual] of kinds) {
		const steps = ascending.flatMap(({ above, [kind]: rate }) => (rate === undefined ? [] : [{ above, rate }]));
		const [first] = steps;
		if (first) changing[kind] = { base: price[kind] ?? price[usual] ?? price.input ?? first.rate, steps };
	}
	return { ...price, ...changing };
};
