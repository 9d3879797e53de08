/** What a call may cost, for each amount of output, at the dearest of the targets it may reach. */
import {
	type Denial,
	deny,
	type EndpointRouted,
	generates,
	type ModelRouted,
	type RelayedCall,
	type RequestBound,
} from "#core";
import type { Price, Prices } from "../prices/service.ts";
import { inputTokens } from "./input-bound.ts";

/** Output tokens a call is let through with at the very least, unless it asks for fewer. */
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
	/** Of each target of the call, in their order. */
	readonly prices: readonly Price[];
}

interface Target {
	readonly price: Price;
	readonly input: number;
	readonly maxOutput: number | undefined;
}

export interface CostSettings {
	/** The output limit where neither the client nor the model's description has one. */
	readonly unknownOutput: number;
	/** Output a call without a limit of its own waits for rather than being cut short. */
	readonly wantedOutput: number;
}

const notPriced = (model: string): Denial =>
	deny(
		"permission",
		`The price of the model "${model.slice(0, 128)}" is not known, so it cannot be used under a quota. Ask the operator to set it under "prices".`,
		{ code: "model_not_priced", parameter: "model" },
	);

const unknownPrice = (name: string): Denial =>
	deny(
		"permission",
		`What "${name.slice(0, 64)}" costs is not known, so it cannot be used under a quota. Leave it out, or ask the operator to set it under "prices".`,
		{ code: "tier_not_priced" },
	);

/** Whether the model's price has a rate for the tokens that the call may use. */
const isPriced = (prices: Prices, price: Price): boolean =>
	prices.bound({ inputTokens: 1, outputTokens: 1 }, price) !== undefined;

const targetsOf = (call: ModelRouted, prices: Prices, bound: RequestBound): readonly Target[] | undefined => {
	const targets: Target[] = [];
	for (const { model, upstream, capabilities } of call.targets) {
		const price = prices.find(model, { requested: call.model.name, upstream: upstream.name });
		if (!price || !isPriced(prices, price)) return undefined;
		targets.push({
			price,
			input: inputTokens(bound, { ...price, ...capabilities }),
			maxOutput: capabilities.maxOutput,
		});
	}
	return targets;
};

/** The largest of what is said of each; most calls have one target. */
const mostOf = (targets: readonly Target[], of: (target: Target) => number): number => {
	let most = Number.NEGATIVE_INFINITY;
	for (const target of targets) most = Math.max(most, of(target));
	return most;
};

const unknownTierOf = (targets: readonly Target[], tiers: readonly string[], prices: Prices): string | undefined => {
	if (tiers.length > 0)
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
	for (const { model, upstream } of call.targets) {
		const price = prices.find(model, { requested: call.model.name, upstream: upstream.name });
		const cost = price && prices.bound(call.bound, price);
		if (!price || cost === undefined) return notPriced(call.model.name);
		found.push(price);
		most = Math.max(most, cost);
	}
	return { asked: 0, wanted: 0, limit: undefined, most: () => most, outputFor: () => 0, prices: found };
};

/** The cost of a call, or why it cannot be told. */
export const callCost = (call: RelayedCall, prices: Prices, settings: CostSettings): CallCost | Denial => {
	if (call.surface === "endpoint") return endpointCost(call, prices);
	const { facts } = call.ask.protocol;
	const { value } = call.ask.body;
	const bound = facts.bound(call.ask.body);
	const tiers = facts.tiers(value);
	const targets = targetsOf(call, prices, bound);
	if (!targets) return notPriced(call.model.name);
	const unpriced = bound.unpriced ?? unknownTierOf(targets, tiers, prices);
	if (unpriced !== undefined) return unknownPrice(unpriced);
	const { fees, longCache, summary = 0 } = bound;
	const answers = Math.max(1, call.model.candidates);

	const modelMost = mostOf(targets, ({ maxOutput }) => maxOutput ?? settings.unknownOutput);
	const limit = call.model.maxOutputTokens;
	const known = mostOf(targets, ({ maxOutput }) => maxOutput ?? Number.POSITIVE_INFINITY);
	const asked = generates(call.model.operation) ? Math.min(limit ?? modelMost, known) : 0;
	const costAt = ({ price, input }: Target, output: number): number =>
		prices.bound({ inputTokens: input, outputTokens: output * answers + summary, fees, longCache, tiers }, price) ??
		Number.POSITIVE_INFINITY;
	return {
		prices: targets.map(({ price }) => price),
		asked,
		wanted: limit === undefined ? Math.min(asked, settings.wantedOutput) : asked,
		limit,
		most: (output) => mostOf(targets, (target) => costAt(target, output)),
		outputFor(amount) {
			let least = asked;
			for (const target of targets) {
				const covered = prices.outputFor(amount - costAt(target, 0), target.input, target.price, tiers);
				least = Math.min(least, Math.floor(covered / answers));
			}
			return least;
		},
	};
};
