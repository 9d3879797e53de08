/**
 * From usage to money. Sums are made in millionths of a micro-dollar, as whole numbers, so that no rate with up to six
 * decimals is bent by floating point, and rounded up once at the end.
 */
import type { Units, Usage } from "#core";
import { rateAt } from "./long-input.ts";
import type { Price, Rate, TaskFacts, TaskUnits, UsageBound } from "./service.ts";
import { feeOf, mostTierFactor, partialImageFee, searchFee, tierFactor } from "./tiers.ts";
import { million, roundedUp, unitCost } from "./units.ts";
import { taskRate, taskUnits } from "./variants.ts";

/** Millionths of a micro-dollar for one token, given how long the input of the call is. */
const perToken = (rate: Rate | undefined, inputTokens: number): number =>
	rate === undefined ? 0 : Math.round(rateAt(rate, inputTokens) * million);

/** Millionths of a micro-dollar for a price in dollars. */
const perPiece = (dollars: number | undefined): number => Math.round((dollars ?? 0) * million) * million;

const roundUp = (sum: number): number => {
	const whole = Math.floor(sum / million);
	return whole * million < sum ? whole + 1 : whole;
};

/** Tiers make tokens dearer, not fees. */
const times = (sum: number, factor: number): number => (factor === 1 ? sum : roundedUp(sum * factor));

/** Whether there is a rate for all of these tokens. A price for each call and nothing else holds for all its tokens. */
const pricesTokens = ({ input, output, perRequest }: Price, inputTokens: number, outputTokens: number): boolean => {
	if (input === undefined && output === undefined) return perRequest !== undefined;
	return (inputTokens === 0 || input !== undefined) && (outputTokens === 0 || output !== undefined);
};

/** Whether there is a rate for the tokens of both sides, or one price for the whole call. */
export const isPriced = (price: Price): boolean => pricesTokens(price, 1, 1);

const count = (value: number | undefined, most: number): number => Math.min(Math.max(value ?? 0, 0), Math.max(most, 0));

/** Millionths of a micro-dollar for so many tokens; most calls have none of most kinds. */
const part = (tokens: number, rate: Rate | undefined, inputTokens: number): number =>
	tokens === 0 ? 0 : tokens * perToken(rate, inputTokens);

const inputSum = ({ input }: Usage, price: Price): number => {
	const { total } = input;
	const plain = price.input;
	const cacheRead = count(input.cacheRead, total);
	const cacheWrite = count(input.cacheWrite, total - cacheRead);
	const long = count(input.cacheWriteLong, cacheWrite);
	const cachedAudio = count(input.cacheReadAudio, cacheRead);
	const audio = count((input.audio ?? 0) - cachedAudio, total - cacheRead - cacheWrite);
	const image = count(input.image, total - cacheRead - cacheWrite - audio);
	const video = count(input.video, total - cacheRead - cacheWrite - audio - image);
	const cacheReadRate = price.cacheRead ?? plain;
	const cacheWriteRate = price.cacheWrite ?? plain;
	return (
		part(total - cacheRead - cacheWrite - audio - image - video, plain, total) +
		part(cacheRead - cachedAudio, cacheReadRate, total) +
		part(cachedAudio, price.cacheReadAudio ?? cacheReadRate, total) +
		part(cacheWrite - long, cacheWriteRate, total) +
		part(long, price.cacheWriteLong ?? cacheWriteRate, total) +
		part(audio, price.inputAudio ?? plain, total) +
		part(image, price.inputImage ?? plain, total) +
		part(video, price.inputVideo ?? plain, total)
	);
};

const outputSum = ({ input, output }: Usage, price: Price): number => {
	const { total } = output;
	const plain = price.output;
	const reasoning = count(output.reasoning, total);
	const audio = count(output.audio, total - reasoning);
	const image = count(output.image, total - reasoning - audio);
	const video = count(output.video, total - reasoning - audio - image);
	return (
		part(total - reasoning - audio - image - video, plain, input.total) +
		part(reasoning, price.reasoning ?? plain, input.total) +
		part(audio, price.outputAudio ?? plain, input.total) +
		part(image, price.outputImage ?? plain, input.total) +
		part(video, price.outputVideo ?? plain, input.total)
	);
};

const toolSum = (tools: Usage["serverTools"], price: Price, tiers: readonly string[]): number => {
	let sum = 0;
	if (tools === undefined) return sum;
	for (const [name, calls] of Object.entries(tools)) {
		if (/search|google/.test(name) && !/file|storage|tool/.test(name)) sum += calls * perPiece(searchFee(tiers, price));
		else if (/file|storage|retrieval/.test(name)) sum += calls * perPiece(feeOf("perFileSearch", price));
		else if (/image/.test(name)) sum += calls * perPiece(feeOf("perImage", price));
		// A container is used again within an answer, however often code runs in it.
		else if (/code/.test(name) && calls > 0) sum += perPiece(feeOf("perCodeSession", price));
	}
	return sum;
};

/** A million dollars: an upstream that told of more is wrong, and sums of what it told would be exact no longer. */
const mostOfACall = million * million;
const believable = (found: number | undefined): number | undefined => found && Math.min(found, mostOfACall);

/** Micro-dollars for what a call used. */
export const cost = (usage: Usage, price: Price, tiers: readonly string[] = []): number | undefined =>
	believable(
		together(
			usage.units,
			usage.input.total,
			usage.output.total,
			price,
			times(inputSum(usage, price) + outputSum(usage, price), tierFactor(tiers, price)) +
				toolSum(usage.serverTools, price, tiers) +
				perPiece(price.perRequest),
		),
	);

/** Units and tokens in one sum. A price must have a rate for what was used, be it for one or the other. */
const together = (
	units: Units | undefined,
	input: number,
	output: number,
	price: Price,
	tokenSum: number,
): number | undefined => {
	const byTokens = pricesTokens(price, input, output);
	if (units === undefined) return byTokens ? roundUp(tokenSum) : undefined;
	const { sum, unpriced } = unitCost(units, price);
	// A vendor that bills tokens tells units besides; one that bills units may tell tokens.
	if (input + output > 0 && byTokens) return roundUp(sum + tokenSum);
	return unpriced ? undefined : roundUp(sum + perPiece(price.perRequest));
};

/** The dearest that a token can be. */
interface Dearest {
	readonly input: number;
	/** The same where something may be kept in a cache for an hour. */
	readonly longInput: number;
	readonly output: number;
}

const dearestAt = (price: Price, inputTokens: number): Dearest => {
	const most = (...rates: readonly (Rate | undefined)[]): number =>
		Math.max(...rates.map((rate) => perToken(rate, inputTokens)));
	const { cacheRead, cacheReadAudio, cacheWrite, inputAudio, inputImage, inputVideo } = price;
	const input = most(price.input, cacheRead, cacheReadAudio, cacheWrite, inputAudio, inputImage, inputVideo);
	return {
		input,
		longInput: Math.max(input, most(price.cacheWriteLong)),
		output: most(price.output, price.reasoning, price.outputAudio, price.outputImage, price.outputVideo),
	};
};

const changesWithLength = (price: Price): boolean =>
	Object.values(price).some((rate: unknown) => typeof rate === "object" && rate !== null && "steps" in rate);

const known = new WeakMap<Price, Dearest>();

/** Worked out once for a price, unless its rates change with the length of the input. */
const dearest = (price: Price, inputTokens: number): Dearest => {
	const kept = known.get(price);
	if (kept) return kept;
	const found = dearestAt(price, inputTokens);
	if (!changesWithLength(price)) known.set(price, found);
	return found;
};

const feeSum = (fees: UsageBound["fees"], price: Price, tiers: readonly string[]): number =>
	fees === undefined
		? 0
		: fees.webSearches * perPiece(searchFee(tiers, price)) +
			fees.fileSearches * perPiece(feeOf("perFileSearch", price)) +
			fees.codeSessions * perPiece(feeOf("perCodeSession", price)) +
			fees.images * perPiece(feeOf("perImage", price));

const noTiers: readonly string[] = [];

const boundSum = (
	{ inputTokens, outputTokens, longCache, tiers = noTiers, fees }: UsageBound,
	price: Price,
): number => {
	const { input, longInput, output } = dearest(price, inputTokens);
	const tokens = inputTokens * (longCache ? longInput : input) + outputTokens * output;
	return times(tokens, mostTierFactor(tiers, price)) + feeSum(fees, price, tiers) + perPiece(price.perRequest);
};

/** Micro-dollars that no call within the bound costs more than. */
export const costBound = (bound: UsageBound, price: Price): number | undefined =>
	together(bound.units, bound.inputTokens, bound.outputTokens, price, boundSum(bound, price));

/** Output tokens that fit into `microDollars`, when the input may have up to `inputTokens`. */
export const outputFor = (
	microDollars: number,
	inputTokens: number,
	price: Price,
	tiers: readonly string[] = [],
): number => {
	const each = times(dearest(price, inputTokens).output, mostTierFactor(tiers, price));
	return each === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, Math.floor((microDollars * million) / each));
};

/** Micro-dollars for what a task made; fractions of a second count. */
export const taskCost = (made: TaskUnits, price: Price, facts: TaskFacts = {}): number | undefined => {
	let sum = (made.partialImages ?? 0) * perPiece(partialImageFee(price));
	sum += (made.inputImages ?? 0) * perPiece(price.perInputImage);
	for (const [unit, rate] of taskUnits) {
		const amount = made[unit] ?? 0;
		if (amount === 0) continue;
		const dollars = price.variants === undefined ? price[rate] : taskRate(price, price.variants, rate, facts);
		if (dollars === undefined) return undefined;
		sum += roundedUp(amount * perPiece(dollars));
	}
	return roundUp(sum);
};
