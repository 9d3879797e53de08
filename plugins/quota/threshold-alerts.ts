/** What operators are told of money: that a share of an amount is used, or that calls are refused for want of the rest. */
import { type SQL, sql } from "drizzle-orm";
import { type Statement, valueList } from "#core";
import { type Alerts, enqueueOn, onceMs } from "../alerts/service.ts";
import { budgetPrefix, personPrefix } from "./account-names.ts";
import { leasesOfTask } from "./task-leases.ts";

/**
 * Whose account it is, and for how long, as text: every batch that charges asks, and what is put together anew each time
 * costs more than what it asks. The names of accounts say it: `TOKEN`, `person:PERSON`, and of a budget
 * `budget:TOKEN/PERIOD/ZONE/START` or `budget:person:PERSON/PERIOD/ZONE/START`.
 */
const isBudget = `a.token LIKE '${budgetPrefix}%'`;
const afterPrefix = `iif(${isBudget}, substr(a.token, ${budgetPrefix.length + 1}), a.token)`;
const holder = `iif(${isBudget}, substr(${afterPrefix}, 1, instr(${afterPrefix}, '/') - 1), a.token)`;
const isPerson = `${holder} LIKE '${personPrefix}%'`;
const tokenOf = `iif(${isPerson}, NULL, ${holder})`;
const afterToken = `substr(${afterPrefix}, instr(${afterPrefix}, '/') + 1)`;
const periodOf = `iif(${isBudget}, substr(${afterToken}, 1, instr(${afterToken}, '/') - 1), NULL)`;
const personOf = `iif(${isPerson}, substr(${holder}, ${personPrefix.length + 1}), NULL)`;
const resetsAt = "strftime('%Y-%m-%dT%H:%M:%fZ', a.ends_at / 1000.0, 'unixepoch')";

/** Of a token the place for its name, which those who tell it know. */
const holderNamed = `iif(${isPerson}, 'the person ' || ${personOf}, 'the token {token}')`;
const whose = `coalesce('The budget of ' || ${holderNamed} || ' for the ' || ${periodOf},
	iif(${isPerson}, 'The ceiling of ', 'The quota of ') || ${holderNamed})`;
const remedy = `coalesce('It resets at ' || ${resetsAt} || '.', 'Raise it, or let it end.')`;

const dollarsOf = (micro: string): string => `'$' || rtrim(rtrim(printf('%.6f', ${micro} / 1e6), '0'), '.')`;

/** `share`: the line that was crossed. `happened`: the words for it. */
const alertOf = (share: string, happened: string): SQL =>
	sql.raw(`'budget.threshold' AS event, a.token || ' ' || a.quota || ' ' || ${share} AS about, json_object(
		'message', ${whose} || ${happened} || ' ' || ${dollarsOf("a.used")} || ' of ' || ${dollarsOf("a.quota")} || '. ' || ${remedy},
		'token', ${tokenOf}, 'owner', ${personOf}, 'per', ${periodOf}, 'threshold', ${share},
		'used', a.used / 1e6, 'amount', a.quota / 1e6, 'percent', round(100.0 * a.used / a.quota, 1), 'resetsAt', ${resetsAt}) AS data`);

const crossing = alertOf("max(s.value)", "' is ' || CAST(round(100 * max(s.value)) AS INTEGER) || ' % used:'");
const refusing = alertOf("1", "' refuses calls:'");

const among = (accounts: ReadonlySet<string>): SQL => sql`a.token IN ${valueList(accounts)}`;

/** The highest line that an account has crossed, told once for each amount: for the batch that charges it. `which` is a condition on `a`. */
const crossed = (all: readonly Alerts[], which: SQL): readonly Statement[] =>
	all.map((alerts) =>
		alerts.enqueue(
			sql`SELECT ${crossing} FROM quota_accounts a JOIN json_each(${JSON.stringify(alerts.shares)}) s
				ON a.used >= s.value * a.quota WHERE a.quota > 0 AND ${which} GROUP BY a.token`,
			{ quietMs: onceMs },
		),
	);

/** The accounts on which a task was held. */
export const taskAlerts = (all: readonly Alerts[], task: string): readonly Statement[] =>
	crossed(all, sql`a.token IN (SELECT token FROM quota_leases WHERE ${leasesOfTask(task)})`);

const mostRemembered = 10_000;

/** What is to be told of the accounts of this node. */
export class ThresholdAlerts {
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
		const crossed = this.crossed(charged);
		if (this.waiting.size === 0) return crossed;
		const refused = sql`SELECT ${refusing} FROM quota_accounts a
			WHERE a.quota IS NOT NULL AND ${among(this.waiting)} GROUP BY a.token`;
		return [...crossed, ...enqueueOn(all, refused, { quietMs: onceMs })];
	}

	/** What waits now; to be called when it is written. */
	taken(): () => void {
		const written = [...this.waiting];
		return () => {
			for (const account of written) this.waiting.delete(account);
		};
	}
}
