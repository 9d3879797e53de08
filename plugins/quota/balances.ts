/** What accounts have used and may use: a list of a thousand persons asks for theirs in one question and not in thousands. */
import { sql } from "drizzle-orm";
import { type Store, unlessOutage, valueList } from "#core";
import { count } from "./numbers.ts";

/** Micro-dollars. */
interface Balance {
	readonly used: number;
	/** Undefined where there is no limit. */
	readonly quota: number | undefined;
}

interface BalancesInput {
	readonly store: Store;
	/** Resolves when what was charged before is in the database. */
	flush(): Promise<void>;
}

const atOnce = 500;
const none: Balance = { used: 0, quota: undefined };

export class Balances {
	private readonly input: BalancesInput;
	/** Those asked for in this turn. */
	private asked = new Set<string>();
	private answer: Promise<ReadonlyMap<string, Balance>> | undefined;

	constructor(input: BalancesInput) {
		this.input = input;
	}

	/** With all that was charged before. */
	async of(account: string): Promise<Balance> {
		this.asked.add(account);
		this.answer ??= this.afterThisTurn();
		return (await this.answer).get(account) ?? none;
	}

	private async afterThisTurn(): Promise<ReadonlyMap<string, Balance>> {
		await new Promise((resolve) => setImmediate(resolve));
		const asked = [...this.asked];
		this.asked = new Set();
		this.answer = undefined;
		const { store, flush } = this.input;
		await unlessOutage(flush());
		const found = new Map<string, Balance>();
		for (let from = 0; from < asked.length; from += atOnce)
			for (const { token, used, quota } of await store.all(sql`SELECT token, quota, used FROM quota_accounts
				WHERE token IN ${valueList(asked.slice(from, from + atOnce))}`))
				found.set(String(token), { used: count(used) ?? 0, quota: count(quota) });
		return found;
	}
}
