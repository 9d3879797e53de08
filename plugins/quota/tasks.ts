/** What tasks hold back: leases of their own, in the database from the start, because a task outlives its process. */
import { type Denial, deny } from "#core";
import type { Accounts } from "./accounts.ts";
import { count } from "./numbers.ts";
import type { TaskReservation } from "./service.ts";

/** Asked again after the nodes had the time to return what they do not need. */
const attempts = 3;

const denialFor = (left: number, amount: number): Denial =>
	left >= amount
		? deny(
				"quota_held",
				"The rest of this token's quota is held by its own running calls and tasks. Ask again when one of them has ended.",
				{ retryAfterSeconds: 1 },
			)
		: deny("quota_exhausted", "This token's quota does not suffice for this task. Ask the operator to raise it.");

/** Holds `amount` for a task, or says why not. Rejects when the database cannot be reached. */
export const reserveTask = async (
	accounts: Accounts,
	token: string,
	amount: number,
	id: string,
): Promise<TaskReservation | Denial> => {
	const { statements, store } = accounts;
	for (let attempt = 1; ; attempt++) {
		const [, , state, balance] = await store.write([
			statements.account(token, null),
			statements.holdTask(id, token, amount),
			statements.state(id),
			statements.balance(token),
		]);
		if (state?.rows[0]?.["state"] === "open") return { id, amount, keep: () => [statements.keepTask(id)] };
		const { quota, used } = balance?.rows[0] ?? {};
		const left = (count(quota) ?? Number.POSITIVE_INFINITY) - (count(used) ?? 0);
		if (left < amount || attempt === attempts) return denialFor(left, amount);
		await accounts.release(token);
	}
};
