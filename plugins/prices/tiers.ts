/** What tiers and hosted tools cost where a price does not say. */
import type { Price } from "./service.ts";
import { dearestRate } from "./variants.ts";

const usualTiers: Readonly<Record<string, number>> = {
	priority: 2,
	ultrafast: 6,
	fast: 6,
	"inference_geo:us": 1.1,
	// Cheaper ones cost what plain tokens cost, unless the price says otherwise.
	flex: 1,
	batch: 1,
	scale: 1,
	"web_search:preview": 1,
};

const usualFees = { perWebSearch: 0.035, perFileSearch: 0.0025, perCodeSession: 0.03, perImage: 0.25 } as const;

const factorOf = (tier: string, price: Price): number | undefined =>
	lookup(price.tiers, tier) ?? lookup(usualTiers, tier);

const lookup = (table: Readonly<Record<string, number>> | undefined, word: string): number | undefined =>
	table && Object.hasOwn(table, word) ? table[word] : undefined;

/** How many times the plain rates a call in these tiers costs. One that nobody knows counts once: see `unknownTier`. */
export const tierFactor = (tiers: readonly string[], price: Price): number => {
	let factor = 1;
	for (const tier of tiers) factor *= factorOf(tier, price) ?? 1;
	return factor;
};

/** The same at most: an answer may tell that it was served in the usual tier rather than in the cheaper one that was asked for. */
export const mostTierFactor = (tiers: readonly string[], price: Price): number => {
	let factor = 1;
	for (const tier of tiers) factor *= Math.max(1, factorOf(tier, price) ?? 1);
	return factor;
};

/** The first tier whose price nobody knows. */
export const unknownTier = (tiers: readonly string[], price: Price): string | undefined =>
	tiers.find((tier) => factorOf(tier, price) === undefined);

/** The same for a search, in a call with these tiers: where it may be of either kind, it is the dearer. */
export const searchFee = (tiers: readonly string[], price: Price): number =>
	tiers.includes("web_search:preview")
		? Math.max(feeOf("perWebSearch", price), price.perWebSearchPreview ?? 0)
		: feeOf("perWebSearch", price);

/** A hundred tokens of a picture, at the dearest of the models that bill them. */
const usualPartialImage = 0.004;

/** Dollars for one unfinished picture: no more than the picture itself costs. */
export const partialImageFee = (price: Price): number =>
	price.perPartialImage ?? Math.min(usualPartialImage, dearestRate(price, "perImage") ?? usualPartialImage);

/** Dollars for one use of a hosted tool. */
export const feeOf = (fee: keyof typeof usualFees, price: Price): number =>
	(fee === "perImage" ? dearestRate(price, fee) : price[fee]) ?? usualFees[fee];
