/** The names of accounts: a token's is its id; persons and the windows of budgets have others, which no token has. */
import { isPeriod, type Period, type Window, windowAt } from "./windows.ts";

export const personPrefix = "person:";
export const personAccount = (person: string): string => personPrefix + person;

interface BudgetWindows {
	readonly per: Period;
	readonly zone: string;
}

/** A new window is a new account. */
export const budgetPrefix = "budget:";
export const windowAccount = (account: string, { per, zone }: BudgetWindows, { start }: Window): string =>
	`${budgetPrefix}${account}/${per}/${zone}/${start}`;
const isWindowAccount = (account: string): boolean => account.startsWith(budgetPrefix);

/** When the window of such an account ends; undefined for any other account. */
export const endOfAccount = (account: string): number | undefined => {
	const [, per, zone, start] = /^budget:[^/]*\/(\w+)\/(.+)\/(-?\d+)$/.exec(account) ?? [];
	return isPeriod(per) && zone !== undefined ? windowAt(Number(start), per, zone).end : undefined;
};

export const isPersonAccount = (account: string): boolean =>
	account.startsWith(personPrefix) || account.startsWith(budgetPrefix + personPrefix);

/** Whose rows the ledger has: what other accounts are charged, the token's own is charged too. */
export const isTokenAccount = (account: string): boolean => !isPersonAccount(account) && !isWindowAccount(account);
