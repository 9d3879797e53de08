/** The token setting `quota`: dollars, kept as whole micro-dollars, in an account beside the token. */
import { type TokenSetting, t, toDollars, toMicroDollars } from "#core";
import type { Accounts } from "./accounts.ts";

const isAmount = (value: unknown): value is number =>
	typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= 1_000_000_000;

/** Compiled to micro-dollars. */
export const quotaSetting = (accounts: Accounts): TokenSetting<number> => ({
	key: "quota",
	schema: t.Number({
		minimum: 0,
		maximum: 1_000_000_000,
		unit: "dollars",
		description: "Dollars the token may use in all; what it has used already counts. Absent: unlimited.",
		form: {
			label: "Quota",
			unit: "$",
			order: 1,
			note: "Dollars it may use in all; what it has used already counts. Empty: no limit.",
		},
	}),
	refuse: (value) => (isAmount(value) ? undefined : "must be an amount in dollars, such as 1.50"),
	compile(value) {
		if (!isAmount(value)) throw new TypeError("quota must be an amount in dollars");
		return toMicroDollars(value);
	},
	statements: (tokenId, value) => accounts.statements.setQuota(tokenId, isAmount(value) ? toMicroDollars(value) : null),
	/** `used` for every token; `remaining` for those with a quota: what has not been charged yet. Dollars. */
	view: (tokenId) => balanceOf(accounts, tokenId),
});

/** What was charged to an account, and, where it has a limit, what is left. Dollars. */
export const balanceOf = async (
	accounts: Accounts,
	account: string,
): Promise<{ readonly used: number; readonly remaining?: number }> => {
	const { used, quota } = await accounts.balances.of(account);
	if (quota === undefined) return { used: toDollars(used) };
	return { used: toDollars(used), remaining: toDollars(Math.max(0, quota - used)) };
};
