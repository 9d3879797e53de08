/** What tasks hold back: leases of their own, in the database from the start, because a task outlives its process. */
import { type Denial, deny } from "#core";
import type { Accounts } from "./accounts.ts";
import { type AccountLimit, accountsBeside, type Spender } from "./holding.ts";
import { count } from "./numbers.ts";
import { capital, nameOf } from "./refusals.ts";
import type { TaskReservation } from "./service.ts";
import { leaseBeside } from "./task-leases.ts";

/** Asked again after the nodes had the time to return what they do not need. */
const attempts = 3;

const denialFor = (left: number, amount: number, short: AccountLimit | undefined): Denial =>
	left >= amount
		? deny(
				"quota_held",
				"The rest of this token's quota, or of what its owner may spend, is held by running calls and tasks. Ask again when one of them has ended.",
				{ retryAfterSeconds: 1 },
			)
		: deny(
				"quota_exhausted",
				short?.window
					? `${capital(nameOf(short))} does not suffice for this task. It resets at ${new Date(short.window.end).toISOString()}.`
					: "This token's quota, or the ceiling of its owner, does not suffice for this task. Ask the operator to raise it.",
				short?.window && { resetsAt: new Date(short.window.end).toISOString() },
			);

/** Holds `amount` for a task on every account of its token, or says why not. Rejects when the database cannot be reached. */
export const reserveTask = async (
	accounts: Accounts,
	token: Spender,
	amount: number,
	id: string,
	now: number,
): Promise<TaskReservation | Denial> => {
	const { statements, store } = accounts;
	const own: AccountLimit = { account: token.id, limit: undefined };
	const others = accountsBeside(token, now);
	const names = others.map(({ account }) => account);
	const on = [own.account, ...names];
	for (let attempt = 1; ; attempt++) {
		const results = await store.write([
			statements.account(own.account, null),
			...others.map(({ account, limit }) => statements.account(account, limit ?? null)),
			statements.holdTask(id, own.account, amount, names),
			...names.map((account) => statements.holdTaskBeside(leaseBeside(id, account), account, amount, id)),
			statements.state(id),
			...on.map((account) => statements.balance(account)),
		]);
		const [state, ...balances] = results.slice(-1 - on.length);
		if (state?.rows[0]?.["state"] === "open")
			return {
				keep: (created) =>
					[id, ...names.map((account) => leaseBeside(id, account))].map((lease) => statements.keepTask(lease, created)),
			};
		const lefts = balances.map(
			({ rows: [row] }) => (count(row?.["quota"]) ?? Number.POSITIVE_INFINITY) - (count(row?.["used"]) ?? 0),
		);
		const short = [own, ...others].find((_, index) => (lefts[index] ?? 0) < amount);
		if (short || attempt === attempts) return denialFor(Math.min(...lefts), amount, short);
		for (const account of on) await accounts.release(account);
	}
};
