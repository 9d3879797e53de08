/** A person's ceiling and budgets, kept in accounts beside those of their tokens. */
import { asRecord, toDollars } from "#core";
import type { PersonFollower } from "../people/service.ts";
import { personAccount } from "./account-names.ts";
import { type BudgetOptions, budgetStatements, budgetsShown } from "./budget-accounts.ts";
import { budgetsOf } from "./budgets-setting.ts";
import { balanceOf } from "./setting.ts";

export const quotaFollower = (options: BudgetOptions): PersonFollower => ({
	keepsCeiling: true,
	statements: ({ id, ceiling, budgets }) => [
		...options.accounts.statements.setQuota(personAccount(id), ceiling ?? null),
		...budgetStatements(options, personAccount(id), budgetsOf(budgets)),
	],
	async view({ id, ceiling, budgets }) {
		const account = personAccount(id);
		// Who has joined by an invitation has no account before the first call.
		const whole = ceiling !== undefined && { remaining: toDollars(ceiling) };
		const spent = { ...whole, ...(await balanceOf(options.accounts, account)) };
		if (budgets === undefined) return spent;
		const shown = await budgetsShown(options, account, budgetsOf(budgets));
		// The amount stays what was set, so that what is shown can be sent back; `remaining` counts a boost.
		return { ...spent, budgets: shown.map((one, index) => ({ ...one, ...asRecord(budgets[index]) })) };
	},
});
