/** What a call may cost, for each amount of output, at the dearest of the targets it may reach. */
import {
	beyondLimit,
	beyondNothing,
	type Denial,
	type EndpointRouted,
	generates,
	type ModelCapabilities,
	type ModelRouted,
	pictureTokens,
	type RelayedCall,
	type RequestBound,
} from "#core";
import type { Price, Prices } from "../prices/service.ts";
import { notPriced, partlyPriced, unknownPrice } from "./refusals.ts";

/**
 * Output tokens a call is let through with at the very least, unless it asks for fewer; those for whose request another
 * protocol is spoken ask for no fewer there, as a protocol may know no lower limit.
 */
export const leastOutput = 16;

export interface CallCost {
	/** Output tokens for each answer: what the client asks for, or what the model gives where it does not say. */
	readonly asked: number;
	/** Fewer than this are not worth holding the call back for: it waits for others to end instead. */
	readonly wanted: number;
	/** The limit that the client itself set. */
	readonly limit: number | undefined;
	/** Micro-dollars the call costs at most, with so many output tokens for each answer. */
	most(output: number): number;
	/** Output tokens for each answer that `amount` covers. */
	outputFor(amount: number): number;
	/** Output tokens that may come beyond the limit of each answer. */
	readonly beyond: number;
	/** Of a target of the call, by its place among them. */
	priceOf(index: number): Price | undefined;
}

interface Target {
	readonly price: Price;
	readonly input: number;
	readonly fees: RequestBound["fees"];
	readonly maxOutput: number | undefined;
	/** Output tokens that it is asked for at least. */
	readonly least: number;
	/** Output tokens that may come beyond the limit of each answer. */
	readonly beyond: number;
}

export interface CostSettings {
	/** The output limit where neither the client nor the model's description has one. */
	readonly unknownOutput: number;
	/** Output a call without a limit of its own waits for rather than being cut short. */
	readonly wantedOutput: number;
}

/** What a model reads at most that reads more than the body, where its context window is not known. */
const unknownWindow = 200_000;

/** How many input tokens a request is billed at most, at a model whose context window and pictures (`picture` tokens each) may be known. */
export const inputTokens = (bound: RequestBound, window?: number, picture: number = pictureTokens.most): number => {
	const once = bound.tokens + bound.images * picture;
	// Each round of a hosted tool reads the request again; together they fill at least one window.
	const rounds = bound.turns > 1 ? bound.turns : 0;
	const least = Math.max(once * rounds, bound.window ?? 0);
	const all = bound.open ? Math.max(window ?? Math.max(once, unknownWindow), least) : once;
	// A summary is of all, and read in its place.
	return bound.summary === undefined ? all : 2 * all + bound.summary;
};

/** Of a model that searches at each call, asked or not: it reads what it finds, and one search is billed at least. */
const withSearch = (bound: RequestBound): RequestBound => {
	const { fees } = bound;
	return { ...bound, open: true, fees: { ...fees, webSearches: Math.max(1, fees.webSearches) } };
};

/** Hardly any model thinks beside its limit: for all others nothing is worked out. */
const thoughtsBeside = (capabilities: ModelCapabilities, said: RequestBound | undefined): number =>
	capabilities.thinksBeside === undefined ? 0 : beyondLimit(capabilities, said);

const targetsOf = (
	call: ModelRouted,
	prices: Prices,
	bound: RequestBound,
	unknown: number,
): readonly Target[] | undefined => {
	const targets: Target[] = [];
	const searches = generates(call.model.operation);
	for (const { model, upstream, capabilities } of call.targets) {
		const price = prices.find(model, { requested: call.model.name, upstream: upstream.name });
		if (!price || !prices.isPriced(price)) return undefined;
		const { contextWindow = price.contextWindow, imageTokens, maxOutput } = capabilities;
		const { protocols } = upstream;
		const speaks = protocols.includes(call.protocol);
		const least = speaks && protocols.length === 1 ? 0 : leastOutput;
		const limited = speaks ? bound : { ...bound, ...bound.unlimited };
		const own = searches && capabilities.searches === "always" ? withSearch(limited) : limited;
		const nothing = beyondNothing(call.model.maxOutputTokens, capabilities, unknown);
		const beyond = thoughtsBeside(capabilities, speaks ? bound : undefined) + nothing;
		const input = inputTokens(own, contextWindow, imageTokens);
		targets.push({ price, input, fees: own.fees, maxOutput, least, beyond });
	}
	return targets;
};

const unknownTierOf = (targets: readonly Target[], tiers: readonly string[], prices: Prices): string | undefined => {
	for (const { price } of targets) {
		const tier = prices.unknownTier(tiers, price);
		if (tier !== undefined) return tier;
	}
	return undefined;
};

/** An endpoint says itself what it uses at most; none of it can be cut short. */
const endpointCost = (call: EndpointRouted, prices: Prices): CallCost | Denial => {
	let most = 0;
	const found: Price[] = [];
	const { tiers } = call;
	for (const { model, upstream } of call.targets) {
		const price = prices.find(model, { requested: call.model.name, upstream: upstream.name });
		if (!price) return notPriced(call.model.name);
		const cost = prices.bound({ ...call.bound, tiers }, price);
		if (cost === undefined) return partlyPriced(call.model.name, call.bound);
		const tier = prices.unknownTier(tiers, price);
		if (tier !== undefined) return unknownPrice(tier);
		found.push(price);
		most = Math.max(most, cost);
	}
	return {
		asked: 0,
		wanted: 0,
		limit: undefined,
		beyond: 0,
		most: () => most,
		outputFor: () => 0,
		priceOf: (index) => found[index],
	};
};

/** Where a price says itself what a picture costs, it is that of the dearest. */
const pricesPictures = ({ price: { perImage, variants = [] } }: Target): boolean =>
	[perImage, ...variants.map((variant) => variant.perImage)].some((dollars) => dollars !== undefined);

/** What nobody knows the price of. */
const unpricedOf = ({ unpriced, dearPictures }: RequestBound, targets: readonly Target[]): string | undefined =>
	unpriced ?? (dearPictures === undefined || targets.every(pricesPictures) ? undefined : dearPictures);

/** The cost of a call, or why it cannot be told. */
export const callCost = (call: RelayedCall, prices: Prices, settings: CostSettings): CallCost | Denial => {
	if (call.surface === "endpoint") return endpointCost(call, prices);
	const { facts } = call.ask.protocol;
	const { value } = call.ask.body;
	const bound = facts.bound(call.ask.body, call.ask.headers);
	const tiers = facts.tiers(value);
	const targets = targetsOf(call, prices, bound, settings.unknownOutput);
	if (!targets) return notPriced(call.model.name);
	const unpriced = unpricedOf(bound, targets) ?? (tiers.length > 0 ? unknownTierOf(targets, tiers, prices) : undefined);
	if (unpriced !== undefined) return unknownPrice(unpriced);
	return new ModelCost(call, prices, { targets, tiers, bound }, settings);
};

/** The largest of the targets' limits of output; `unknown` stands for one that is not known. */
const largestOutput = (targets: readonly Target[], unknown: number): number => {
	let largest = Number.NEGATIVE_INFINITY;
	for (const { maxOutput } of targets) largest = Math.max(largest, maxOutput ?? unknown);
	return largest;
};

/** What the cost of a call of a model comes from. */
interface Priced {
	readonly targets: readonly Target[];
	readonly tiers: readonly string[];
	readonly bound: RequestBound;
}

class ModelCost implements CallCost {
	readonly asked: number;
	readonly wanted: number;
	readonly limit: number | undefined;
	private readonly answers: number;
	private readonly list: Prices;
	private readonly priced: Priced;

	constructor({ model }: ModelRouted, list: Prices, priced: Priced, { unknownOutput, wantedOutput }: CostSettings) {
		const { targets } = priced;
		const limit = model.maxOutputTokens;
		const most =
			limit === undefined
				? largestOutput(targets, unknownOutput)
				: Math.min(limit, largestOutput(targets, Number.POSITIVE_INFINITY));
		this.asked = generates(model.operation) ? most : 0;
		this.wanted = limit === undefined ? Math.min(this.asked, wantedOutput) : this.asked;
		this.limit = limit;
		this.answers = Math.max(1, model.candidates);
		this.list = list;
		this.priced = priced;
	}

	priceOf(index: number): Price | undefined {
		return this.priced.targets[index]?.price;
	}

	get beyond(): number {
		let most = 0;
		for (const { beyond } of this.priced.targets) most = Math.max(most, beyond);
		return most;
	}

	most(output: number): number {
		let most = Number.NEGATIVE_INFINITY;
		for (const target of this.priced.targets)
			most = Math.max(most, this.costAt(target, Math.max(output, target.least)));
		return most;
	}

	outputFor(amount: number): number {
		if (this.most(this.asked) <= amount) return this.asked;
		const { targets, tiers } = this.priced;
		let output = this.asked;
		for (const target of targets) {
			const { price, input } = target;
			const covered = this.list.outputFor(amount - this.costAt(target, 0), input, price, tiers);
			output = Math.min(output, Math.floor(covered / this.answers));
		}
		// What the input costs is rounded up by itself, and may so take the part in which the least of outputs is held.
		const least = Math.min(this.asked, leastOutput);
		return output < least && this.most(least) <= amount ? least : output;
	}

	private costAt({ price, input, fees, beyond }: Target, output: number): number {
		const { bound, tiers } = this.priced;
		const { longCache, summary = 0, predicted = 0 } = bound;
		const outputTokens = (output + beyond) * this.answers + summary + predicted;
		const used = { inputTokens: input, outputTokens, fees, longCache, tiers };
		return this.list.bound(used, price) ?? Number.POSITIVE_INFINITY;
	}
}
