/** What endpoints use besides model tokens, and what it costs. */
import type { Units } from "#core";
import type { Price } from "./service.ts";
import { dearestRate } from "./variants.ts";

/** Each unit with its rate in dollars, and how many of it the rate is for. */
const rates = [
	["audioSecondsIn", "perMinuteAudioIn", 60],
	["audioSecondsOut", "perMinuteAudioOut", 60],
	["characters", "perMillionCharacters", 1_000_000],
	["searches", "perThousandSearches", 1_000],
	["images", "perImage", 1],
	["pages", "perPage", 1],
] as const satisfies readonly (readonly [keyof Units, keyof Price, number])[];

const known = new Set<string>(rates.map(([unit]) => unit));

interface UnitCost {
	/** Millionths of a micro-dollar for the units that have a rate. */
	readonly sum: number;
	/** Something was used that this price has no rate for. */
	readonly unpriced: boolean;
}

export const million = 1_000_000;

/** Rounded up, but for what floating point adds beyond the fourteenth digit: that is no money. */
export const roundedUp = (sum: number): number => Math.ceil(Number(sum.toPrecision(14)));

const billed = (unit: keyof Units, amount: number | undefined, { leastSecondsAudioIn = 0 }: Price): number =>
	unit === "audioSecondsIn" && amount !== undefined ? Math.max(amount, leastSecondsAudioIn) : (amount ?? 0);

export const unitCost = (units: Units | undefined, price: Price): UnitCost => {
	let sum = 0;
	// Speech is billed by its characters or by its length: a rate for one is enough.
	const isSpoken = price.perMillionCharacters !== undefined || price.perMinuteAudioOut !== undefined;
	let unpriced = Object.entries(units ?? {}).some(([unit, amount]) => amount > 0 && !known.has(unit));
	for (const [unit, rate, each] of rates) {
		const amount = billed(unit, units?.[unit], price);
		if (amount <= 0) continue;
		const dollars = rate === "perImage" ? dearestRate(price, rate) : price[rate];
		if (dollars === undefined) unpriced ||= !(isSpoken && (unit === "characters" || unit === "audioSecondsOut"));
		else sum += roundedUp((amount * dollars * million * million) / each);
	}
	return { sum, unpriced };
};
