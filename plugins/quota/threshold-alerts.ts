/** What operators are told of money: that a share of an amount is used, or that calls are refused for want of the rest. */
import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "#core";
import { type Alerts, enqueueOn, onceMs } from "../alerts/service.ts";
import { budgetPrefix } from "./budgets.ts";
import { personPrefix } from "./holding.ts";

/**
 * Whose account it is, and for how long. The names of accounts say it: `TOKEN`, `person:PERSON`, and of a budget
 * `budget:TOKEN/PERIOD/ZONE/START` or `budget:person:PERSON/PERIOD/ZONE/START`.
 */
const isBudget = sql`a.token LIKE ${`${budgetPrefix}%`}`;
const afterPrefix = sql`iif(${isBudget}, substr(a.token, ${budgetPrefix.length + 1}), a.token)`;
const holder = sql`iif(${isBudget}, substr(${afterPrefix}, 1, instr(${afterPrefix}, '/') - 1), a.token)`;
const isPerson = sql`${holder} LIKE ${`${personPrefix}%`}`;
const tokenOf = sql`iif(${isPerson}, NULL, ${holder})`;
const afterToken = sql`substr(${afterPrefix}, instr(${afterPrefix}, '/') + 1)`;
const periodOf = sql`iif(${isBudget}, substr(${afterToken}, 1, instr(${afterToken}, '/') - 1), NULL)`;
const personOf = sql`iif(${isPerson}, substr(${holder}, ${personPrefix.length + 1}), NULL)`;
const resetsAt = sql`strftime('%Y-%m-%dT%H:%M:%fZ', a.ends_at / 1000.0, 'unixepoch')`;

/** Of a token the place for its name, which those who tell it know. */
const holderNamed = sql`iif(${isPerson}, 'the person ' || ${personOf}, 'the token {token}')`;
const whose = sql`coalesce('The budget of ' || ${holderNamed} || ' for the ' || ${periodOf},
	iif(${isPerson}, 'The ceiling of ', 'The quota of ') || ${holderNamed})`;
const remedy = sql`coalesce('It resets at ' || ${resetsAt} || '.', 'Raise it, or let it end.')`;

const dollarsOf = (micro: SQL): SQL => sql`'$' || rtrim(rtrim(printf('%.6f', ${micro} / 1e6), '0'), '.')`;

/** `share`: the line that was crossed. `happened`: the words for it. */
const alertRows = (share: SQL, happened: SQL, from: SQL): SQL => sql`
	SELECT 'budget.threshold' AS event, a.token || ' ' || a.quota || ' ' || ${share} AS about, json_object(
		'message', ${whose} || ${happened} || ' ' || ${dollarsOf(sql`a.used`)} || ' of ' || ${dollarsOf(sql`a.quota`)} || '. ' || ${remedy},
		'token', ${tokenOf}, 'owner', ${personOf}, 'per', ${periodOf}, 'threshold', ${share},
		'used', a.used / 1e6, 'amount', a.quota / 1e6, 'percent', round(100.0 * a.used / a.quota, 1), 'resetsAt', ${resetsAt}) AS data
	FROM ${from} GROUP BY a.token`;

const among = (accounts: ReadonlySet<string>): SQL =>
	sql`a.token IN (SELECT value FROM json_each(${JSON.stringify([...accounts])}))`;

/** The highest line that an account has crossed, told once for each amount: for the batch that charges it. `which` is a condition on `a`. */
const crossed = (all: readonly Alerts[], which: SQL): readonly Statement[] =>
	all.map((alerts) =>
		alerts.enqueue(
			alertRows(
				sql`max(s.value)`,
				sql`' is ' || CAST(round(100 * max(s.value)) AS INTEGER) || ' % used:'`,
				sql`quota_accounts a JOIN json_each(${JSON.stringify(alerts.shares)}) s ON a.used >= s.value * a.quota
					WHERE a.quota > 0 AND ${which}`,
			),
			{ quietMs: onceMs },
		),
	);

/** The accounts on which a task was held. */
export const taskAlerts = (all: readonly Alerts[], task: string): readonly Statement[] =>
	crossed(
		all,
		sql`a.token IN (SELECT token FROM quota_leases WHERE id = ${task} OR (id > ${`${task}@`} AND id < ${`${task}A`}))`,
	);

const mostRemembered = 10_000;

/** What is to be told of the accounts of this node. */
export class Tellings {
	/** Empty where nobody listens. */
	listeners: readonly Alerts[] = [];
	private readonly waiting = new Set<string>();
	/** Accounts whose refusals were told, and under which limit: to ask the database about each only once. */
	private readonly told = new Map<string, number>();

	/** Calls are refused, however much is left: to whoever calls it is all used. True when that is news. */
	refuse(account: string, limit: number): boolean {
		if (this.listeners.length === 0 || this.told.get(account) === limit) return false;
		if (this.told.size >= mostRemembered) this.told.clear();
		this.told.set(account, limit);
		this.waiting.add(account);
		return true;
	}

	/** What these accounts have crossed by now: for a batch that charges them. */
	crossed(charged: ReadonlySet<string>): readonly Statement[] {
		return charged.size === 0 ? [] : crossed(this.listeners, among(charged));
	}

	/** For the batch in which calls are charged to these accounts. */
	statements(charged: ReadonlySet<string>): readonly Statement[] {
		const all = this.listeners;
		if (all.length === 0) return [];
		const refused = sql`quota_accounts a WHERE a.quota IS NOT NULL AND ${among(this.waiting)}`;
		return [
			...this.crossed(charged),
			...(this.waiting.size === 0
				? []
				: enqueueOn(all, alertRows(sql`1`, sql`' refuses calls:'`, refused), { quietMs: onceMs })),
		];
	}

	/** What waits now; to be called when it is written. */
	taken(): () => void {
		const written = [...this.waiting];
		return () => {
			for (const account of written) this.waiting.delete(account);
		};
	}
}
