/** What the ledger says of prices: those of today, which need not be those of a call long ago. */
import { asNumber, asText, type Router, toDollars, type Usage, type WireRecord } from "#core";
import type { PricePart, Prices } from "../prices/service.ts";
import type { Saved } from "./usage.ts";

/** How a call's charge comes about. */
interface Arithmetic {
	readonly parts: readonly (PricePart & { readonly cost: number })[];
	/** Dollars, of all parts. */
	readonly sum: number;
	/** Whether that is what was charged: else the price was another then, or a tier, a fee or a limit came to it. */
	readonly charged: boolean;
}

const usageOf = (call: WireRecord): Usage => ({
	input: {
		total: asNumber(call["inputTokens"]) ?? 0,
		cacheRead: asNumber(call["cachedTokens"]) ?? 0,
		cacheWrite: asNumber(call["cacheWriteTokens"]) ?? 0,
	},
	output: { total: asNumber(call["outputTokens"]) ?? 0, reasoning: asNumber(call["reasoningTokens"]) ?? 0 },
});

/** Charges are whole micro-dollars, rounded up. */
const step = 1e-6;

/** Of a call as it is viewed; undefined where no price is known or no tokens were used. */
export const arithmeticOf = (prices: Prices | undefined, call: WireRecord): Arithmetic | undefined => {
	const [model, requested, upstream] = ["target", "model", "upstream"].map((name) => asText(call[name]));
	const name = model ?? requested;
	if (!prices || name === undefined) return undefined;
	const hints = { ...(requested !== undefined && { requested }), ...(upstream !== undefined && { upstream }) };
	const price = prices.find(name, hints);
	const parts = (price ? prices.parts(usageOf(call), price) : []).map((part) => ({
		...part,
		cost: toDollars(part.tokens * part.rate),
	}));
	if (parts.length === 0) return undefined;
	const sum = parts.reduce((all, { cost }) => all + cost, 0);
	return { parts, sum, charged: Math.abs(sum - (asNumber(call["cost"]) ?? -1)) <= step };
};

/** By the price of the target that a name leads to at that upstream. */
export const savedAt =
	(prices: Prices, router: Router | undefined): Saved =>
	(cachedTokens, requested, upstream) => {
		const targets = router?.targets?.(requested) ?? [];
		const target = targets.find((one) => one.upstream.name === upstream) ?? targets[0];
		const price = prices.find(target?.model ?? requested, { requested, ...(upstream !== undefined && { upstream }) });
		return price ? prices.saved(cachedTokens, price) : 0;
	};
