/** What a call under the rule was let through with: charged when it ends, and counted along while it streams. */
import {
	asCount,
	bytesPerToken,
	type Denial,
	type Log,
	type Outcome,
	type Permit,
	type RelayedCall,
	type Usage,
} from "#core";
import type { Price, Prices } from "../prices/service.ts";
import type { Accounts } from "./accounts.ts";
import type { CallCost } from "./call-cost.ts";
import { type Holding, markOnAll, settleOnAll } from "./holding.ts";
import type { LeaseCharge } from "./lease.ts";

/** What is the same for all calls. */
export interface Settling {
	readonly accounts: Accounts;
	readonly prices: Prices;
	readonly log: Log;
	/** For how long an answer is read on once its client has gone. */
	readonly readOnMs: number;
}

/** What a call was held for. */
interface HeldFor {
	readonly cost: CallCost;
	/** Output tokens for each answer. */
	readonly output: number;
	/** As of `Permit`. */
	readonly ready: Promise<Denial | undefined> | undefined;
}

/** While a stream runs a crash would charge what was seen, and this many tokens more, which is how often that is noted. */
const markEvery = 64;

export class HeldPermit implements Permit {
	readonly readOnMs: number;
	readonly ready?: Promise<Denial | undefined>;
	readonly maxOutputTokens?: number;
	protected readonly call: RelayedCall;
	protected readonly holding: Holding;
	protected readonly settling: Settling;
	private readonly cost: CallCost | undefined;

	/** `heldFor` is undefined where the cost is only counted. */
	constructor(settling: Settling, call: RelayedCall, holding: Holding, heldFor?: HeldFor) {
		this.settling = settling;
		this.call = call;
		this.holding = holding;
		this.readOnMs = settling.readOnMs;
		this.cost = heldFor?.cost;
		if (!heldFor) return;
		const { cost, output, ready } = heldFor;
		if (ready) this.ready = ready;
		if (cost.asked > 0 && output !== cost.limit) this.maxOutputTokens = output;
	}

	settle(outcome: Outcome): LeaseCharge {
		const { call, holding, settling } = this;
		const found = this.costOf(outcome);
		// An estimate is no report of the upstream: beyond what was held it proves nothing.
		const estimated = found !== undefined && outcome.usage?.estimated === true;
		const charge = settleOnAll(settling.accounts, holding, estimated ? Math.min(found, holding.amount) : found);
		if (charge.excess > 0)
			settling.log.warn("an upstream reported more than the call had reserved; the operator bears the rest", {
				token: call.token.id,
				call: call.id,
				model: call.model.name,
				chargedMicroDollars: charge.charged,
				excessMicroDollars: charge.excess,
			});
		return charge;
	}

	/**
	 * What the call did cost: what was held where its price is lost or gives no amount, undefined where none was ever
	 * known. What an upstream did not count, Portico estimated.
	 */
	private costOf({ sent, usage, target: answered, tiers }: Outcome): number | undefined {
		if (!sent || !usage) return 0;
		const { call, cost } = this;
		const { amount } = this.holding;
		const { prices } = this.settling;
		const target = answered ?? call.targets[0];
		const price =
			cost?.priceOf(call.targets.indexOf(target)) ??
			prices.find(target.model, { requested: call.model.name, upstream: target.upstream.name });
		const isUntold = price !== undefined && (tellsNoHour(usage, price) || tellsNoCache(usage, price));
		const used = isUntold ? withCaches(usage, call) : usage;
		const found = asCount(price && prices.cost(used, price, tiers));
		return found ?? (Number.isFinite(amount) ? amount : undefined);
	}
}

const tellsNoHour = ({ input }: Usage, price: Price): boolean =>
	input.cacheWrite !== undefined && input.cacheWriteLong === undefined && price.cacheWriteLong !== undefined;

/** Nobody counted what was read from a cache and what was written to it, which costs more. */
const tellsNoCache = ({ input, estimated }: Usage, { cacheWrite, cacheWriteLong }: Price): boolean =>
	estimated === true &&
	input.cacheWrite === undefined &&
	input.cacheRead === undefined &&
	(cacheWrite ?? cacheWriteLong) !== undefined;

/** What is marked for a cache may all be written to it; where the request asks for an hour anywhere, all that was written for an hour. */
const withCaches = (usage: Usage, call: RelayedCall): Usage => {
	const { input } = usage;
	if (call.surface !== "model") return usage;
	const { caches, longCache } = call.ask.protocol.facts.bound(call.ask.body);
	const { cacheWrite = caches ? input.total : 0 } = input;
	if (cacheWrite === 0) return usage;
	return { ...usage, input: { ...input, cacheWrite, ...(longCache && { cacheWriteLong: cacheWrite }) } };
};

/** Counts along, so that a crash charges what was delivered rather than all that was held. */
export class StreamPermit extends HeldPermit {
	private readonly streamed: CallCost;
	private readonly bound: number;
	private readonly thinksInSecret: boolean;
	private marked = 0;

	constructor(settling: Settling, call: RelayedCall, holding: Holding, heldFor: HeldFor) {
		super(settling, call, holding, heldFor);
		this.streamed = heldFor.cost;
		this.bound = (heldFor.output + heldFor.cost.beyond) * Math.max(1, call.model.candidates);
		this.thinksInSecret = call.targets.some(({ capabilities }) => capabilities.thinking !== "none");
	}

	progress(pieces: number, contentBytes = Number.POSITIVE_INFINITY): "go_on" | "cut" {
		if (pieces > this.bound) return "cut";
		const seen = Math.max(pieces, Math.ceil(contentBytes / bytesPerToken));
		if (!this.thinksInSecret && seen + markEvery / 2 > this.marked && seen < this.bound) {
			this.marked = seen + markEvery;
			const most = this.streamed.most(this.marked / Math.max(1, this.call.model.candidates));
			markOnAll(this.settling.accounts, this.holding, most);
		}
		return "go_on";
	}
}
