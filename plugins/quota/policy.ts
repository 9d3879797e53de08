/** The rule: a call holds what it may cost before it is sent, and is charged what it did cost. */
import {
	asRecord,
	asText,
	type Denial,
	describe,
	isDenial,
	isOutage,
	type Permit,
	type Policy,
	type RelayedCall,
} from "#core";
import { type CallCost, type CostSettings, callCost, leastOutput } from "./call-cost.ts";
import {
	type Accountable,
	type AccountLimit,
	accountsOf,
	followOnAll,
	type Holding,
	holdNow,
	holdOnAll,
	isLack,
	isLimited,
	type Lack,
	settleOnAll,
} from "./holding.ts";
import { HeldPermit, type Settling, StreamPermit } from "./permit.ts";
import { heldBack, nearlyUsedUp, tooFarBehind, unreachable, usedUp } from "./refusals.ts";
import type { quotaSetting } from "./setting.ts";

interface PolicyOptions extends Settling {
	readonly settings: CostSettings;
	readonly setting: ReturnType<typeof quotaSetting>;
	/** The wall's clock: budgets go by it. */
	now(): number;
}

/** A small body is read and judged by what it asks for. */
const largeBytes = 64 * 1024;
const isLarge = ({ headers }: Request): boolean =>
	Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY) > largeBytes;

const nothing = (): undefined => undefined;

/** Without end where that cannot be told, but neither NaN nor below zero. */
const isAmount = (most: number): boolean => most >= 0;

const noAmount = ({ protocol, model: { name } }: RelayedCall): TypeError =>
	new TypeError(`what it costs at most is no amount: "${protocol}" gives a wrong bound, or "${name}" a wrong price`);

export const quotaPolicy = (options: PolicyOptions): Policy<number> => {
	const { prices, log } = options;

	/** All calls of a turn wait for one write to the journal. */
	let awaited: Promise<void> | undefined;
	let ready: Promise<Denial | undefined> | undefined;
	const readyOnce = (kept: Promise<void>): typeof ready => {
		if (kept !== awaited) ready = kept.then(nothing, notLookedAt);
		awaited = kept;
		return ready;
	};

	/** `output`: the tokens that are held for, for each answer. */
	const permit = (
		call: RelayedCall,
		holding: Holding,
		cost: CallCost,
		output = cost.outputFor(holding.amount),
	): Permit => {
		const heldFor = { cost, output, ready: holding.kept && readyOnce(holding.kept) };
		return cost.asked > 0 && call.model.stream
			? new StreamPermit(options, call, holding, heldFor)
			: new HeldPermit(options, call, holding, heldFor);
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
		if (!isAmount(most)) throw noAmount(call);
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

	/** Throws what is no outage: a protocol's or a price's mistake is the failure of a rule, and told as one. */
	const notLookedAt = (error: unknown): Denial => {
		if (!isOutage(error)) throw error;
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
		if (!isAmount(least)) throw noAmount(call);
		try {
			const found = await holdOnAll(options.accounts, callerOf(call), on, { least, most: least });
			if (isLack(found)) return found.left >= least ? heldBack(found.on) : usedUp(found.on, found.left, least);
			return { settle: () => settleOnAll(options.accounts, found, 0) };
		} catch (error) {
			return notLookedAt(error);
		}
	};

	/** What can be told without the body: an account that has nothing left, or too little for a large one. */
	const beforeBody = (
		on: Accountable,
		request: Request,
		from = 0,
	): Denial | undefined | Promise<Denial | undefined> => {
		for (let index = from; index < on.length; index++) {
			const one = on[index];
			if (one?.limit === undefined) continue;
			const account = options.accounts.accountOf(one.account);
			if (account.wasRefused(one.limit) && isLarge(request)) return nearlyUsedUp(one);
			const used = account.isUsedUp(one.limit);
			if (used === true) return told(usedUp(one, 0, 0), one);
			if (used !== false) return beforeBodyOnceKnown(used, one, on, request);
		}
		return undefined;
	};

	/** The same, where the database was asked about one of the accounts. */
	const beforeBodyOnceKnown = async (
		asked: Promise<boolean>,
		one: AccountLimit,
		on: Accountable,
		request: Request,
	): Promise<Denial | undefined> => {
		try {
			if (await asked) return told(usedUp(one, 0, 0), one);
		} catch (error) {
			return notLookedAt(error);
		}
		return await beforeBody(on, request, on.indexOf(one) + 1);
	};

	return {
		name: "quota",
		setting: options.setting,
		beforeBody({ token, request }, quota) {
			if (options.accounts.behind) return tooFarBehind;
			return beforeBody(accountsOf(token, quota, options.now()), request);
		},
		check(call, quota) {
			// What a task may cost is held when it is created, for as long as it runs.
			if (call.surface === "task") return undefined;
			// What an upstream remembers is input too, and cannot be counted from here.
			const on = accountsOf(call.token, quota, options.now());
			const bounded = on.some(isLimited);
			if (call.surface === "model" && bounded && call.ask.onlyUpstream) return call.ask.onlyUpstream;
			if (call.model.operation === "count_tokens") return bounded ? counted(call, on) : undefined;
			try {
				if (bounded) return limited(call, on);
				return new HeldPermit(options, call, followOnAll(options.accounts, callerOf(call), on));
			} catch (error) {
				// A disk that is full: what cannot be written into the journal is not promised.
				return notLookedAt(error);
			}
		},
	};
};

const callerOf = ({ id, model }: RelayedCall) => ({ id, model: model.name });
