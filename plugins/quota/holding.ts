/** What a call holds: on every account it spends from, or on none. A token has accounts, and so has its owner. */
import type { AccessToken, RelayedCall, TokenOwner } from "#core";
import type { Need, Shortage } from "./account.ts";
import { personAccount } from "./account-names.ts";
import type { Accounts } from "./accounts.ts";
import type { Caller } from "./accounts-options.ts";
import { budgetsIn } from "./budgets.ts";
import { lines } from "./journal-lines.ts";
import type { LeaseCharge, Reservation } from "./lease.ts";
import type { Period, Window } from "./windows.ts";

/** An account, and what may be spent from it: undefined is unlimited, then what is spent is only counted. */
export interface AccountLimit {
	readonly account: string;
	readonly limit: number | undefined;
	/** Of a budget: its window, and for how long it is. */
	readonly window?: Window & { readonly per: Period };
}

/** Whose accounts they are. */
export type Spender = Pick<AccessToken, "id" | "owner" | "compiled">;

/** The token's own comes first. */
export type Accountable = readonly [AccountLimit, ...AccountLimit[]];

const windowsOf = (compiled: TokenOwner["compiled"], account: string, now: number): readonly AccountLimit[] =>
	budgetsIn(compiled)?.windowsOf(account, now) ?? [];

const accountsOfOwner = ({ id, ceiling, compiled }: TokenOwner, now: number): readonly AccountLimit[] => {
	const account = personAccount(id);
	return [{ account, limit: ceiling }, ...windowsOf(compiled, account, now)];
};

/** The accounts that a call of this token spends from beside the token's own. */
export const accountsBeside = ({ id, owner, compiled }: Spender, now: number): readonly AccountLimit[] => [
	...(owner ? accountsOfOwner(owner, now) : []),
	...windowsOf(compiled, id, now),
];

interface Known {
	readonly quota: number | undefined;
	readonly accounts: Accountable;
	/** While all its windows run. */
	readonly from: number;
	readonly until: number;
}

const known = new WeakMap<Spender, Known>();

/** All of them. Every call asks, so they are worked out when a window has begun. */
export const accountsOf = (spender: Spender, quota: number | undefined, now: number): Accountable => {
	const kept = known.get(spender);
	if (kept && kept.quota === quota && now >= kept.from && now < kept.until) return kept.accounts;
	const beside = accountsBeside(spender, now);
	const accounts: Accountable = [{ account: spender.id, limit: quota }, ...beside];
	const windows = beside.flatMap(({ window }) => window ?? []);
	const from = Math.max(...windows.map(({ start }) => start));
	const until = Math.min(...windows.map(({ end }) => end));
	known.set(spender, { quota, accounts, from, until });
	return accounts;
};

export const isLimited = ({ limit }: AccountLimit): boolean => limit !== undefined;

export interface Holding {
	/** On the token's account: the call's row of the ledger is written with its charge. */
	readonly own: Reservation;
	readonly others: readonly Reservation[];
	/** What is held on each account at least: the call is never charged more. */
	readonly amount: number;
	/** Resolves when all of it is in the journal; absent where it is already. */
	readonly kept?: Promise<void>;
}

/** Too little on one of the accounts. */
export interface Lack extends Shortage {
	readonly on: AccountLimit;
}

export const isLack = (answer: Holding | Lack): answer is Lack => "left" in answer;

/** A call that holds something. */
type Named = Pick<RelayedCall, "id"> & { readonly model: Pick<RelayedCall["model"], "name"> };

/** The journal tells what a call holds by its id: so each account has another. */
const idOn = ({ id }: Named, place: number): string => (place === 0 ? id : `${id}@${place}`);

const callerOn = (call: Named, on: Accountable, one: AccountLimit): Caller => ({
	id: idOn(call, on.indexOf(one)),
	account: one.account,
	model: call.model.name,
});

const holdingOf = (
	accounts: readonly AccountLimit[],
	held: ReadonlyMap<string, Reservation>,
	amount: number,
): Holding => {
	const parts = accounts.flatMap(({ account }) => held.get(account) ?? []);
	const [own, ...others] = parts;
	if (!own) throw new Error("a call holds nothing on the account of its token");
	return { own, others, amount };
};

/** The whole of it on every account at once; undefined, with nothing held, where one of them has to ask the database. */
export const holdNow = (accounts: Accounts, call: Named, on: Accountable, amount: number): Holding | undefined => {
	const now = accounts.now();
	const model = call.model.name;
	let own: Reservation | undefined;
	const others: Reservation[] = [];
	for (const { account, limit } of on) {
		const lease =
			limit === undefined ? accounts.tallyOf(account) : accounts.accountOf(account).sliceWith(amount, now, limit);
		if (!lease) return undefined;
		const id = idOn(call, own ? others.length + 1 : 0);
		const reservation = { id, lease, amount, model, at: now.wall, watermark: undefined };
		if (own) others.push(reservation);
		else own = reservation;
	}
	if (!own) return undefined;
	const held = lines.held(amount, now.wall, model);
	accounts.take(own, held, now);
	for (const other of others) accounts.take(other, held, now);
	return { own, others, amount, kept: accounts.journal.kept() };
};

/**
 * Holds on every account that has a limit, then counts along on the others. What one account gives less than was asked
 * for is not asked of the next. Rejects, holding nothing, when the database cannot be reached.
 */
export const holdOnAll = async (
	accounts: Accounts,
	call: Named,
	on: Accountable,
	need: Need,
): Promise<Holding | Lack> => {
	const held = new Map<string, Reservation>();
	const giveBack = (): void => {
		for (const reservation of held.values()) accounts.settle(reservation, 0);
	};
	let most = need.most;
	const last = on.findLast(isLimited);
	for (const one of on) {
		const { account, limit } = one;
		if (limit === undefined) continue;
		const promised = (amount: number): void => {
			if (one === last) followOthers(accounts, call, on, held, Math.min(most, amount));
		};
		const caller = { ...callerOn(call, on, one), promised };
		const found = await accounts.reserve(caller, { ...need, most }, limit).catch((error: unknown) => {
			giveBack();
			throw error;
		});
		if ("left" in found) {
			giveBack();
			return { ...found, on: one };
		}
		held.set(account, found);
		most = Math.min(most, found.amount);
	}
	return holdingOf(on, held, most);
};

const followOthers = (
	accounts: Accounts,
	call: Named,
	on: Accountable,
	held: Map<string, Reservation>,
	beside: number,
): void => {
	for (const one of on) if (!isLimited(one)) held.set(one.account, accounts.follow(callerOn(call, on, one), beside));
};

/** Holds nothing anywhere: what the call costs is counted on every account. */
export const followOnAll = (accounts: Accounts, call: Named, on: Accountable): Holding => {
	const held = new Map<string, Reservation>();
	followOthers(accounts, call, on, held, 0);
	return holdingOf(on, held, Number.POSITIVE_INFINITY);
};

/** From now on a crash charges this much, on every account that a crash charges something. */
export const markOnAll = (accounts: Accounts, { own, others, amount: most }: Holding, amount: number): void => {
	for (const reservation of [own, ...others])
		if (reservation.watermark !== 0) accounts.watermark(reservation, Math.min(amount, most));
};

/** Charges every account the same: what the call cost, at most what it held on each. */
export const settleOnAll = (
	accounts: Accounts,
	{ own, others, amount }: Holding,
	cost: number | undefined,
): LeaseCharge => {
	for (const other of others) accounts.settle(other, cost, amount);
	return accounts.settle(own, cost, amount);
};
