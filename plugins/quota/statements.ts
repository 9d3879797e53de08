/**
 * The statements that move money between an account and its leases. Each may be written twice: they set figures, never
 * add to them, and say in their conditions what they expect to find.
 */

import { type SQL, sql } from "drizzle-orm";
import { databaseTime, type Statement } from "#core";
import { endOfAccount } from "./account-names.ts";
import { leasesOfTask } from "./task-leases.ts";

/** How long a lease lasts without being renewed, unless set, and how far clocks and delays may stretch that. Milliseconds. */
const usualLeaseMs = 90_000;
export const marginMs = 2_000;
/** How long the hold of a task lasts that was never created. */
export const unkeptTaskMs = 60_000;
/** Closed leases are kept as long as a statement about them might still be repeated. */
const closedKeptMs = 3_600_000;
const tallyKeptMs = 7 * 24 * 3_600_000;

/** Windows of budgets are kept for as long as a clock might be set back, and somebody might ask. */
const windowKeptMs = 62 * 24 * 3_600_000;
/** So many are forgotten in an hour at most: one statement must not hold others up. */
const windowsAtOnce = 5_000;

/** What is left of an account `a`; of one without a limit more than all amounts of money there are. */
const left = sql`coalesce(a.quota, 4000000000000000) - a.used - a.leased`;

/** A lease as its node knows it. `settled`: everything that was charged to it, micro-dollars. */
export interface LeaseFigures {
	readonly id: string;
	readonly account: string;
	readonly kind: "slice" | "tally";
	readonly settled: number;
}

export interface GrantRequest {
	readonly id: string;
	readonly account: string;
	readonly holder: string;
	/** What the node believes it was granted so far; undefined for a new lease. */
	readonly granted: number | undefined;
	/** The least that is of use, and the most that is wanted now. */
	readonly least: number;
	readonly want: number;
	/** Everything that is left, if it must be: where there is too little to share. */
	readonly greedy: boolean;
}

export class Statements {
	readonly leaseMs: number;
	private readonly now: SQL;

	/** `now`: tests put their own time in the place of the database's. */
	constructor(now: SQL = databaseTime, leaseMs = usualLeaseMs) {
		this.now = now;
		this.leaseMs = leaseMs;
	}

	/** What the operator set; null is unlimited. Never fails: what was promised before stays promised. */
	setQuota(account: string, quota: number | null): readonly Statement[] {
		return [
			sql`INSERT INTO quota_accounts (token, quota, ceiling, ends_at) VALUES (${account}, ${quota}, ${quota}, ${endOfAccount(account) ?? null})
				ON CONFLICT (token) DO UPDATE SET quota = excluded.quota, ceiling = max(excluded.quota, used + leased)`,
			sql`UPDATE quota_leases SET recalled = 1 WHERE token = ${account} AND kind = 'slice' AND state = 'open'`,
		];
	}

	/** An account that is not there yet. */
	account(account: string, quota: number | null): Statement {
		return sql`INSERT INTO quota_accounts (token, quota, ceiling, ends_at)
			VALUES (${account}, ${quota}, ${quota}, ${endOfAccount(account) ?? null}) ON CONFLICT (token) DO NOTHING`;
	}

	/**
	 * More for a slice, or a new one: at least `least` or nothing; at most `want`; in between half of an equal share of
	 * what is left, so that the other nodes find something too.
	 */
	grant(request: GrantRequest): readonly Statement[] {
		const { id, account, holder, granted, least, want, greedy } = request;
		const others = sql`(SELECT count(DISTINCT holder) FROM quota_leases
			WHERE token = ${account} AND state = 'open' AND kind = 'slice' AND holder <> ${holder})`;
		const fair = sql`max(${least}, (${left}) / (2 * (1 + ${others})))`;
		const share = greedy ? sql`min(${want}, ${left})` : sql`min(${want}, ${fair}, ${left})`;
		const enough = sql`${left} >= ${least}`;
		if (granted === undefined)
			return [
				sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
					SELECT ${id}, a.token, 'slice', ${holder}, ${share}, ${this.now} + ${this.leaseMs}, ${this.now}
					FROM quota_accounts a WHERE a.token = ${account} AND ${enough} ON CONFLICT (id) DO NOTHING`,
			];
		return [
			sql`UPDATE quota_leases SET granted = quota_leases.granted + ${share}, expires_at = ${this.now} + ${this.leaseMs}, changed_at = ${this.now}
				FROM quota_accounts a WHERE a.token = ${account} AND quota_leases.id = ${id} AND quota_leases.state = 'open'
				AND quota_leases.granted = ${granted} AND ${enough}`,
		];
	}

	/** The account, and one of its leases, as they are now; `remains` is how long the lease lasts. */
	position(account: string, lease: string): SQL {
		return sql`SELECT a.quota, a.used, a.leased, l.granted, l.settled, l.state, l.expires_at - ${this.now} AS remains
			FROM quota_accounts a LEFT JOIN quota_leases l ON l.id = ${lease} WHERE a.token = ${account}`;
	}

	/** What may be used of an account, and what was. */
	balance(account: string): SQL {
		return sql`SELECT quota, used FROM quota_accounts WHERE token = ${account}`;
	}

	/** A tally begins with its first charge. */
	openTally(id: string, account: string, holder: string): readonly Statement[] {
		return [
			this.account(account, null),
			sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
				VALUES (${id}, ${account}, 'tally', ${holder}, 0, ${this.now} + ${this.leaseMs}, ${this.now}) ON CONFLICT (id) DO NOTHING`,
		];
	}

	/** Writes down what was charged so far, and renews the lease. */
	charge({ id, kind, settled }: LeaseFigures): Statement {
		const granted = kind === "tally" ? sql`${settled}` : sql`granted`;
		return sql`UPDATE quota_leases SET settled = ${settled}, granted = ${granted}, expires_at = ${this.now} + ${this.leaseMs}, changed_at = ${this.now}
			WHERE id = ${id} AND state = 'open' AND settled <= ${settled}`;
	}

	/** Gives back what is beyond `granted`. */
	shrink(id: string, granted: number): Statement {
		return sql`UPDATE quota_leases SET granted = ${granted}, recalled = 0, changed_at = ${this.now}
			WHERE id = ${id} AND state = 'open' AND granted > ${granted} AND settled <= ${granted}`;
	}

	/** The end of a lease: what was not charged goes back, also when the lease had been given up for lost. */
	close({ id, settled }: Pick<LeaseFigures, "id" | "settled">): readonly Statement[] {
		return [
			sql`UPDATE quota_leases SET settled = max(settled, ${settled}), granted = max(settled, ${settled}), state = 'closed', changed_at = ${this.now}
				WHERE id = ${id} AND state = 'open'`,
			sql`UPDATE quota_leases SET settled = ${settled}, granted = ${settled}, state = 'closed', changed_at = ${this.now}
				WHERE id = ${id} AND state = 'lost' AND settled >= ${settled}`,
		];
	}

	/** A slice that was spent and that the database has lost: closed at once, with as much of it as the account has left. */
	regain({ id, account, settled }: LeaseFigures, holder: string): Statement {
		const charged = sql`min(${settled}, max(0, ${left}))`;
		return sql`INSERT INTO quota_leases (id, token, kind, holder, granted, settled, state, changed_at)
			SELECT ${id}, a.token, 'slice', ${holder}, ${charged}, ${charged}, 'closed', ${this.now}
			FROM quota_accounts a WHERE a.token = ${account} ON CONFLICT (id) DO NOTHING`;
	}

	/** Asks the other nodes to give back what they do not need. */
	recall(account: string, holder: string): Statement {
		return sql`UPDATE quota_leases SET recalled = 1
			WHERE token = ${account} AND holder <> ${holder} AND kind = 'slice' AND state = 'open' AND granted > settled`;
	}

	/** What a node must know of its leases, those included whose grant it never heard of. */
	own(holder: string): SQL {
		return sql`SELECT id, state, recalled FROM quota_leases WHERE holder = ${holder} AND kind <> 'task' AND state <> 'closed'`;
	}

	/** What is certain of a lease whose journal lost its end: at least so much was charged. */
	chargeAtLeast({ id, settled }: LeaseFigures): Statement {
		return sql`UPDATE quota_leases SET settled = max(settled, min(granted, ${settled})), changed_at = ${this.now}
			WHERE id = ${id} AND state = 'open'`;
	}

	/** Charges a lease in full, because nobody can tell what became of it. */
	abandon(id: string): Statement {
		return sql`UPDATE quota_leases SET settled = granted, state = 'lost', changed_at = ${this.now} WHERE id = ${id} AND state = 'open'`;
	}

	state(id: string): SQL {
		return sql`SELECT state FROM quota_leases WHERE id = ${id}`;
	}

	/** Slices that nobody renewed are charged in full; holds of tasks that were never created go back. */
	reap(): readonly Statement[] {
		return [
			sql`UPDATE quota_leases SET settled = granted, state = 'lost', changed_at = ${this.now}
				WHERE state = 'open' AND kind = 'slice' AND expires_at < ${this.now} - ${2 * marginMs}`,
			sql`UPDATE quota_leases SET granted = settled, state = 'closed', changed_at = ${this.now}
				WHERE state = 'open' AND kind = 'task' AND expires_at < ${this.now}`,
		];
	}

	/** Forgets leases that were closed long ago, and tallies of nodes that are gone. */
	prune(): Statement {
		return sql`DELETE FROM quota_leases WHERE (state = 'closed' AND changed_at < ${this.now} - ${closedKeptMs})
			OR (kind = 'tally' AND changed_at < ${this.now} - ${tallyKeptMs})`;
	}

	/**
	 * Forgets windows of budgets that ended long ago, by the database's clock and by the node's: whichever is behind, so
	 * that no clock which is wrong makes a window anew that still counts.
	 */
	pruneWindows(now: number): Statement {
		return sql`DELETE FROM quota_accounts WHERE token IN (SELECT token FROM quota_accounts a
			WHERE ends_at < min(${this.now}, ${now}) - ${windowKeptMs} AND leased = 0
			AND NOT EXISTS (SELECT 1 FROM quota_leases l WHERE l.token = a.token AND l.state = 'open')
			ORDER BY ends_at LIMIT ${windowsAtOnce})`;
	}

	/**
	 * Holds `amount` for a task, or nothing; a task that is held already stays as it is. `beside`: only where those accounts
	 * have as much left too.
	 */
	holdTask(id: string, account: string, amount: number, beside: readonly string[] = []): Statement {
		const too = beside.map(
			(other) => sql` AND EXISTS (SELECT 1 FROM quota_accounts b WHERE b.token = ${other}
				AND (b.quota IS NULL OR b.quota - b.used - b.leased >= ${amount}))`,
		);
		return sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
			SELECT ${id}, token, 'task', 'task', ${amount}, ${this.now} + ${unkeptTaskMs}, ${this.now}
			FROM quota_accounts WHERE token = ${account} AND (quota IS NULL OR quota - used - leased >= ${amount})${sql.join(too)}
			ON CONFLICT (id) DO NOTHING`;
	}

	/** Holds the same for the task `task` on a further account, when the task is held on its first. */
	holdTaskBeside(id: string, account: string, amount: number, task: string): Statement {
		return sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
			SELECT ${id}, token, 'task', 'task', ${amount}, ${this.now} + ${unkeptTaskMs}, ${this.now} FROM quota_accounts
			WHERE token = ${account} AND EXISTS (SELECT 1 FROM quota_leases WHERE id = ${task} AND state = 'open')
			ON CONFLICT (id) DO NOTHING`;
	}

	/** The task exists: its hold lasts until it ends. Fails, by the table's CHECK, when the hold was given up before. */
	keepTask(id: string, created: SQL = sql`true`): Statement {
		return sql`UPDATE quota_leases SET expires_at = NULL, changed_at = ${this.now},
			state = iif(state = 'open', 'open', 'given up before the task was created')
			WHERE id = ${id} AND expires_at IS NOT NULL AND ${created}`;
	}

	/** Charges at most what was held, once, on every account on which the task is held. */
	settleTask(task: string, cost: number): Statement {
		return sql`UPDATE quota_leases SET settled = min(granted, ${cost}), granted = min(granted, ${cost}), state = 'closed', changed_at = ${this.now}
			WHERE ${leasesOfTask(task)} AND kind = 'task' AND state = 'open'`;
	}

	/** Corrections that the ledger has not recorded. */
	newCorrections(): SQL {
		return sql`SELECT id, token, amount, reason, at FROM quota_corrections WHERE recorded = 0 ORDER BY at LIMIT 500`;
	}

	recorded(id: string): Statement {
		return sql`UPDATE quota_corrections SET recorded = 1 WHERE id = ${id}`;
	}
}
