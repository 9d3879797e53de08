/** The rule: a call holds what it may cost before it is sent, and is charged what it did cost. */
import {
	asCount,
	asRecord,
	asText,
	bytesPerToken,
	type Denial,
	describe,
	isDenial,
	type Log,
	type Outcome,
	type Permit,
	type Policy,
	type RelayedCall,
} from "#core";
import type { Prices } from "../prices/service.ts";
import type { Accounts } from "./accounts.ts";
import { type CallCost, type CostSettings, callCost, leastOutput } from "./call-cost.ts";
import {
	type AccountLimit,
	accountsOf,
	followOnAll,
	type Holding,
	holdNow,
	holdOnAll,
	isLack,
	isLimited,
	type Lack,
	markOnAll,
	settleOnAll,
} from "./holding.ts";
import { heldBack, nearlyUsedUp, unreachable, usedUp } from "./refusals.ts";
import type { quotaSetting } from "./setting.ts";

export interface PolicyOptions {
	readonly accounts: Accounts;
	readonly prices: Prices;
	readonly log: Log;
	readonly settings: CostSettings;
	readonly setting: ReturnType<typeof quotaSetting>;
	/** For how long an answer is read on once its client has gone. */
	readonly readOnMs: number;
	/** The wall's clock: budgets go by it. */
	now(): number;
}

/** While a stream runs a crash would charge what was seen, and this many tokens more, which is how often that is noted. */
const markEvery = 64;

/** A small body is read and judged by what it asks for. */
const largeBytes = 64 * 1024;
const isLarge = ({ headers }: Request): boolean =>
	Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY) > largeBytes;

/**
 * The actual cost of an ended call: what was held where its price is lost or gives no amount, undefined where none was
 * ever known. What an upstream did not count, Portico estimated. `known`: the prices by which it was held.
 */
const costOf = (
	call: RelayedCall,
	outcome: Outcome,
	prices: Prices,
	held: number,
	known: CallCost | undefined,
): number | undefined => {
	if (!outcome.sent || !outcome.usage) return 0;
	const target = outcome.target ?? call.targets[0];
	const hints = { requested: call.model.name, upstream: target.upstream.name };
	const price = known?.prices[call.targets.indexOf(target)] ?? prices.find(target.model, hints);
	const cost = asCount(price && prices.cost(outcome.usage, price, outcome.tiers));
	return cost ?? (Number.isFinite(held) ? held : undefined);
};

type Accountable = ReturnType<typeof accountsOf>;

const nothing = (): undefined => undefined;

export const quotaPolicy = (options: PolicyOptions): Policy<number> => {
	const { prices, log, readOnMs } = options;

	const settle = (call: RelayedCall, holding: Holding, known?: CallCost) => (outcome: Outcome) => {
		const found = costOf(call, outcome, prices, holding.amount, known);
		// An estimate is no report of the upstream: beyond what was held it proves nothing.
		const estimated = found !== undefined && outcome.usage?.estimated === true;
		const charge = settleOnAll(options.accounts, holding, estimated ? Math.min(found, holding.amount) : found);
		const { charged, excess } = charge;
		if (excess > 0)
			log.warn("an upstream reported more than the call had reserved; the operator bears the rest", {
				token: call.token.id,
				call: call.id,
				model: call.model.name,
				chargedMicroDollars: charged,
				excessMicroDollars: excess,
			});
		return charge;
	};

	/** Counts along, so that a crash charges what was delivered rather than all that was held. */
	const progressOf = (
		call: RelayedCall,
		holding: Holding,
		cost: CallCost,
		output: number,
	): NonNullable<Permit["progress"]> => {
		const bound = output * Math.max(1, call.model.candidates);
		const thinksInSecret = call.targets.some(({ capabilities }) => capabilities.thinking !== "none");
		let marked = 0;
		return (pieces, contentBytes) => {
			if (pieces > bound) return "cut";
			const seen = Math.max(pieces, Math.ceil((contentBytes ?? Number.POSITIVE_INFINITY) / bytesPerToken));
			if (!thinksInSecret && seen + markEvery / 2 > marked && seen < bound) {
				marked = seen + markEvery;
				markOnAll(options.accounts, holding, cost.most(marked / Math.max(1, call.model.candidates)));
			}
			return "go_on";
		};
	};

	/** `output`: the tokens that are held for, for each answer. */
	const permit = (
		call: RelayedCall,
		holding: Holding,
		cost: CallCost,
		output = cost.outputFor(holding.amount),
	): Permit => {
		const { asked, limit } = cost;
		return {
			settle: settle(call, holding, cost),
			readOnMs,
			...(holding.kept && { ready: holding.kept.then(nothing, notLookedAt) }),
			...(asked > 0 && output !== limit && { maxOutputTokens: output }),
			...(asked > 0 && call.model.stream && { progress: progressOf(call, holding, cost, output) }),
		};
	};

	const told = (denial: Denial, { account, limit = 0 }: AccountLimit): Denial => {
		options.accounts.refuse(account, limit);
		return denial;
	};

	const refusedFor = ({ on, left }: Lack, least: number): Denial => {
		options.accounts.accountOf(on.account).refuse(on.limit ?? 0);
		return told(usedUp(on, left, least), on);
	};

	/** Not enough: for now, or for good. Where running calls hold nothing that would help, the output is cut short instead. */
	const scarce = async (call: RelayedCall, on: Accountable, cost: CallCost, lack: Lack): Promise<Permit | Denial> => {
		if (lack.left >= cost.most(cost.wanted)) return heldBack(lack.on);
		const least = cost.most(Math.min(cost.asked, leastOutput));
		if (lack.left < least) return refusedFor(lack, least);
		const need = { least, most: cost.most(cost.wanted), greedy: true };
		const answer = await holdOnAll(options.accounts, callerOf(call), on, need);
		if (!isLack(answer)) return permit(call, answer, cost);
		return answer.left >= least ? heldBack(answer.on) : refusedFor(answer, least);
	};

	/** At once, where the database need not be asked. */
	const limited = (call: RelayedCall, on: Accountable): Permit | Denial | undefined | Promise<Permit | Denial> => {
		const cost = callCost(call, prices, options.settings);
		if (isDenial(cost)) return cost;
		const most = cost.most(cost.asked);
		if (most === 0) return undefined;
		const held = holdNow(options.accounts, callerOf(call), on, most);
		return held ? permit(call, held, cost, cost.asked) : limitedByDatabase(call, on, cost, most);
	};

	const limitedByDatabase = async (
		call: RelayedCall,
		on: Accountable,
		cost: CallCost,
		most: number,
	): Promise<Permit | Denial> => {
		try {
			const need = { least: cost.most(cost.wanted), most };
			const found = await holdOnAll(options.accounts, callerOf(call), on, need);
			return isLack(found) ? await scarce(call, on, cost, found) : permit(call, found, cost);
		} catch (error) {
			return notLookedAt(error);
		}
	};

	const notLookedAt = (error: unknown): Denial => {
		log.error("a call was refused because its quota could not be looked at", {
			error: describe(error),
			code: asText(asRecord(error)["code"]),
		});
		return unreachable;
	};

	/** A count of tokens is free, and for those only who could still pay for the least of calls. */
	const counted = async (call: RelayedCall, on: Accountable): Promise<Permit | Denial | undefined> => {
		const cost = callCost(call, prices, options.settings);
		if (isDenial(cost)) return cost;
		const least = cost.most(leastOutput);
		if (least === 0) return undefined;
		try {
			const found = await holdOnAll(options.accounts, callerOf(call), on, { least, most: least });
			if (isLack(found)) return found.left >= least ? heldBack(found.on) : usedUp(found.on, found.left, least);
			return { settle: () => settleOnAll(options.accounts, found, 0) };
		} catch (error) {
			return notLookedAt(error);
		}
	};

	/** What can be told without the body: an account that has nothing left, or too little for a large one. */
	const beforeBodyOn = (on: AccountLimit, request: Request): Denial | undefined | Promise<Denial | undefined> => {
		if (on.limit === undefined) return undefined;
		const account = options.accounts.accountOf(on.account);
		if (account.wasRefused(on.limit) && isLarge(request)) return nearlyUsedUp(on);
		const found = account.isUsedUp(on.limit);
		if (typeof found === "boolean") return found ? told(usedUp(on, 0, 0), on) : undefined;
		return found.then((used) => (used ? told(usedUp(on, 0, 0), on) : undefined), notLookedAt);
	};

	/** The accounts one after the other, at once where the database need not be asked. */
	const beforeBodyOnAll = (
		on: readonly AccountLimit[],
		request: Request,
	): Denial | undefined | Promise<Denial | undefined> => {
		for (const [index, one] of on.entries()) {
			const found = beforeBodyOn(one, request);
			if (found instanceof Promise)
				return found.then((denial) => denial ?? beforeBodyOnAll(on.slice(index + 1), request));
			if (found) return found;
		}
		return undefined;
	};

	return {
		name: "quota",
		setting: options.setting,
		beforeBody({ token, request }, quota) {
			return beforeBodyOnAll(accountsOf(token, quota, options.now()), request);
		},
		check(call, quota) {
			// What a task may cost is held when it is created, for as long as it runs.
			if (call.surface === "task") return undefined;
			// What an upstream remembers is input too, and cannot be counted from here.
			const on = accountsOf(call.token, quota, options.now());
			const bounded = on.some(isLimited);
			if (call.surface === "model" && bounded && call.ask.onlyUpstream) return call.ask.onlyUpstream;
			if (call.model.operation === "count_tokens") return bounded ? counted(call, on) : undefined;
			if (bounded) return limited(call, on);
			return { settle: settle(call, followOnAll(options.accounts, callerOf(call), on)), readOnMs };
		},
	};
};

const callerOf = ({ id, model }: RelayedCall) => ({ id, model: model.name });
