/** The rule: a call holds what it may cost before it is sent, and is charged what it did cost. */
import {
	asRecord,
	asText,
	type Denial,
	describe,
	type Identified,
	isDenial,
	isOutage,
	type Permit,
	type Policy,
	type RelayedCall,
	type Routed,
	type TokenSetting,
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
import { heldBack, nearlyUsedUp, notWrittenDown, tooFarBehind, unreachable, usedUp } from "./refusals.ts";
import { quotaSetting } from "./setting.ts";

interface PolicyOptions extends Settling {
	readonly outputs: CostSettings;
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

type Refusal = Denial | undefined;
type Answer = Permit | Denial | undefined;

export class QuotaPolicy implements Policy<number> {
	readonly name = "quota";
	readonly setting: TokenSetting<number>;
	private readonly options: PolicyOptions;
	/** All calls of a turn wait for one write to the journal. */
	private awaited: Promise<void> | undefined;
	private ready: Promise<Refusal> | undefined;

	constructor(options: PolicyOptions) {
		this.options = options;
		this.setting = quotaSetting(options.accounts);
	}

	beforeBody({ token, request }: Identified, quota: number | undefined): Refusal | Promise<Refusal> {
		if (this.options.accounts.behind) return tooFarBehind;
		return this.refusedBeforeBody(accountsOf(token, quota, this.options.now()), request);
	}

	check(call: Routed, quota: number | undefined): Answer | Promise<Answer> {
		const { options } = this;
		// What a task may cost is held when it is created, for as long as it runs.
		if (call.surface === "task") return undefined;
		// What an upstream remembers is input too, and cannot be counted from here.
		const on = accountsOf(call.token, quota, options.now());
		const bounded = on.some(isLimited);
		if (call.surface === "model" && bounded && call.ask.onlyUpstream) return call.ask.onlyUpstream;
		if (call.model.operation === "count_tokens") return bounded ? this.counted(call, on) : undefined;
		try {
			if (bounded) return this.limited(call, on);
			return new HeldPermit(options, call, followOnAll(options.accounts, call, on));
		} catch (error) {
			// A disk that is full: what cannot be written into the journal is not promised.
			return this.notLookedAt(error);
		}
	}

	/** What can be told without the body: an account that has nothing left, or too little for a large one. */
	private refusedBeforeBody(on: Accountable, request: Request, from = 0): Refusal | Promise<Refusal> {
		for (let index = from; index < on.length; index++) {
			const one = on[index];
			if (one?.limit === undefined) continue;
			const account = this.options.accounts.accountOf(one.account);
			if (account.wasRefused(one.limit) && isLarge(request)) return nearlyUsedUp(one);
			const used = account.isUsedUp(one.limit);
			if (used === true) return this.told(usedUp(one, 0, 0), one);
			if (used !== false) return this.refusedOnceKnown(used, one, on, request);
		}
		return undefined;
	}

	/** The same, where the database was asked about one of the accounts. */
	private async refusedOnceKnown(
		asked: Promise<boolean>,
		one: AccountLimit,
		on: Accountable,
		request: Request,
	): Promise<Refusal> {
		try {
			if (await asked) return this.told(usedUp(one, 0, 0), one);
		} catch (error) {
			return this.notLookedAt(error);
		}
		return await this.refusedBeforeBody(on, request, on.indexOf(one) + 1);
	}

	/** At once, where the database need not be asked. */
	private limited(call: RelayedCall, on: Accountable): Answer | Promise<Answer> {
		const { accounts, prices, outputs } = this.options;
		const cost = callCost(call, prices, outputs);
		if (isDenial(cost)) return cost;
		const most = cost.most(cost.asked);
		if (most === 0) return undefined;
		if (!isAmount(most)) throw noAmount(call);
		const held = holdNow(accounts, call, on, most);
		return held ? this.permit(call, held, cost, cost.asked) : this.limitedByDatabase(call, on, cost, most);
	}

	private async limitedByDatabase(
		call: RelayedCall,
		on: Accountable,
		cost: CallCost,
		most: number,
	): Promise<Permit | Denial> {
		try {
			const need = { least: cost.most(cost.wanted), most };
			const found = await holdOnAll(this.options.accounts, call, on, need);
			return isLack(found) ? await this.scarce(call, on, cost, found) : this.permit(call, found, cost);
		} catch (error) {
			return this.notLookedAt(error);
		}
	}

	/** Not enough: for now, or for good. Where running calls hold nothing that would help, the output is cut short instead. */
	private async scarce(call: RelayedCall, on: Accountable, cost: CallCost, lack: Lack): Promise<Permit | Denial> {
		if (lack.left >= cost.most(cost.wanted)) return heldBack(lack.on);
		const least = cost.most(Math.min(cost.asked, leastOutput));
		if (lack.left < least) return this.refusedFor(lack, least);
		const need = { least, most: cost.most(cost.wanted), greedy: true };
		const answer = await holdOnAll(this.options.accounts, call, on, need);
		if (!isLack(answer)) return this.permit(call, answer, cost);
		return answer.left >= least ? heldBack(answer.on) : this.refusedFor(answer, least);
	}

	/** `output`: the tokens that are held for, for each answer. */
	private permit(call: RelayedCall, holding: Holding, cost: CallCost, output = cost.outputFor(holding.amount)): Permit {
		const heldFor = { cost, output, ready: holding.kept && this.readyOnce(holding.kept) };
		return cost.asked > 0 && call.model.stream
			? new StreamPermit(this.options, call, holding, heldFor)
			: new HeldPermit(this.options, call, holding, heldFor);
	}

	private readyOnce(kept: Promise<void>): Promise<Refusal> | undefined {
		if (kept !== this.awaited) this.ready = kept.then(nothing, this.notLookedAt);
		this.awaited = kept;
		return this.ready;
	}

	/** A count of tokens is free, and for those only who could still pay for the least of calls. */
	private async counted(call: RelayedCall, on: Accountable): Promise<Answer> {
		const { accounts, prices, outputs } = this.options;
		const cost = callCost(call, prices, outputs);
		if (isDenial(cost)) return cost;
		const least = cost.most(leastOutput);
		if (least === 0) return undefined;
		if (!isAmount(least)) throw noAmount(call);
		try {
			const found = await holdOnAll(accounts, call, on, { least, most: least });
			if (isLack(found)) return found.left >= least ? heldBack(found.on) : usedUp(found.on, found.left, least);
			return { settle: () => settleOnAll(accounts, found, 0) };
		} catch (error) {
			return this.notLookedAt(error);
		}
	}

	private refusedFor({ on, left }: Lack, least: number): Denial {
		this.options.accounts.accountOf(on.account).refuse(on.limit ?? 0);
		return this.told(usedUp(on, left, least), on);
	}

	/** The refusal, of which those are told who are to hear of it. */
	private told(denial: Denial, { account, limit = 0 }: AccountLimit): Denial {
		this.options.accounts.refuse(account, limit);
		return denial;
	}

	/** Throws what is no outage: a protocol's or a price's mistake is the failure of a rule, and told as one. */
	private readonly notLookedAt = (error: unknown): Denial => {
		if (!isOutage(error)) throw error;
		const code = asText(asRecord(error)["code"]);
		this.options.log.error("a call was refused because its quota could not be looked at", {
			error: describe(error),
			code,
		});
		// What the system says of a file: of the journal, for the database has words of its own.
		return code?.startsWith("E") ? notWrittenDown : unreachable;
	};
}
