/** Budgets of a token or a person: what may be spent in each window of the calendar, and the account that each window is. */
import { windowAccount } from "./account-names.ts";
import type { Period, Window } from "./windows.ts";

/** The token setting that they are. */
export const budgetsKey = "budgets";

/** More, for the windows that begin before `until`. */
interface Boost {
	readonly amount: number;
	/** Milliseconds since 1970. */
	readonly until: number;
}

/** One budget, compiled. Micro-dollars. */
export interface Budget {
	readonly amount: number;
	readonly per: Period;
	readonly zone: string;
	readonly boost: Boost | undefined;
	windowAt(now: number): Window;
}

/** What may be spent in a window. */
export const limitIn = ({ amount, boost }: Budget, { start }: Window): number =>
	boost && start < boost.until ? amount + boost.amount : amount;

/** A window that runs: its account, and what may be spent from it. */
interface WindowLimit {
	readonly account: string;
	readonly limit: number;
	readonly window: Window & { readonly per: Period };
}

/** The budgets of a token or a person, as they were compiled. */
export class Budgets {
	readonly list: readonly Budget[];

	constructor(list: readonly Budget[]) {
		this.list = list;
	}

	/** The windows that run now. */
	windowsOf(account: string, now: number): readonly WindowLimit[] {
		return this.list.map((budget) => {
			const window = budget.windowAt(now);
			const limit = limitIn(budget, window);
			return { account: windowAccount(account, budget, window), limit, window: { ...window, per: budget.per } };
		});
	}
}

/** Among compiled settings. */
export const budgetsIn = (compiled: ReadonlyMap<string, unknown> | undefined): Budgets | undefined => {
	const found = compiled?.get(budgetsKey);
	return found instanceof Budgets ? found : undefined;
};
