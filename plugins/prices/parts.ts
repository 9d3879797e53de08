/** What each kind of token of a call costs, for people who want to see the sum. */
import { toDollars, type Usage } from "#core";
import { rateAt } from "./long-input.ts";
import type { Price, PricePart, Rate } from "./service.ts";

/** Kinds that have no rate of their own have that of their side. Fees, units and tiers are not among them. */
export const priceParts = ({ input, output }: Usage, price: Price): readonly PricePart[] => {
	const { cacheRead = 0, cacheWrite = 0 } = input;
	const { reasoning = 0 } = output;
	const kinds: readonly (readonly [what: PricePart["what"], tokens: number, rate: Rate | undefined])[] = [
		["input", input.total - cacheRead - cacheWrite, price.input],
		["read from a cache", cacheRead, price.cacheRead ?? price.input],
		["written to a cache", cacheWrite, price.cacheWrite ?? price.input],
		["output", output.total - reasoning, price.output],
		["reasoning", reasoning, price.reasoning ?? price.output],
	];
	return kinds.flatMap(([what, tokens, rate]) =>
		tokens > 0 && rate !== undefined ? [{ what, tokens, rate: rateAt(rate, input.total) }] : [],
	);
};

/** Dollars that so many cached tokens would have cost more as plain ones; a rate that grows with length is taken at its base. */
export const savedBy = (cachedTokens: number, { input, cacheRead }: Price): number => {
	if (input === undefined || cacheRead === undefined) return 0;
	return toDollars(cachedTokens * (rateAt(input, 0) - rateAt(cacheRead, 0)));
};
