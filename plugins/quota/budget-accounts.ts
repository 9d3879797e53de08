/** What is written of budgets when they are set, and what is shown of them: each window that runs has an account. */
import { type Statement, toDollars } from "#core";
import { windowAccount } from "./account-names.ts";
import type { Accounts } from "./accounts.ts";
import { type Budget, limitIn } from "./budgets.ts";
import type { Period } from "./windows.ts";

export interface BudgetOptions {
	readonly accounts: Accounts;
	/** The wall's clock: windows go by it. */
	now(): number;
}

/** Dollars. */
interface ShownBudget {
	readonly amount: number;
	readonly per: Period;
	readonly zone: string;
	readonly used: number;
	readonly remaining: number;
	/** As in 2026-11-23T00:00:00.000Z. */
	readonly resetsAt: string;
}

/** The window that runs and the one after it are told; later ones are made with what the account has by then. */
export const budgetStatements = (
	{ accounts, now }: BudgetOptions,
	account: string,
	budgets: readonly Budget[],
): readonly Statement[] =>
	budgets.flatMap((budget) => {
		const current = budget.windowAt(now());
		return [current, budget.windowAt(current.end)].flatMap((window) =>
			accounts.statements.setQuota(windowAccount(account, budget, window), limitIn(budget, window)),
		);
	});

/** In their order. */
export const budgetsShown = async (
	{ accounts, now }: BudgetOptions,
	account: string,
	budgets: readonly Budget[],
): Promise<readonly ShownBudget[]> => {
	const at = now();
	const shown = budgets.map(async (budget) => {
		const window = budget.windowAt(at);
		const limit = limitIn(budget, window);
		const { used } = await accounts.balances.of(windowAccount(account, budget, window));
		return {
			amount: toDollars(limit),
			per: budget.per,
			zone: budget.zone,
			used: toDollars(used),
			remaining: toDollars(Math.max(0, limit - used)),
			resetsAt: new Date(window.end).toISOString(),
		};
	});
	return await Promise.all(shown);
};
