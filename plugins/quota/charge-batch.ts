/** One batch in the making: what happened to leases in memory, as statements, and what is true once they are written. */
import type { Statement } from "#core";
import type { Lease, Moment } from "./lease.ts";
import type { LedgerRow } from "./service.ts";
import type { WaitingCharges } from "./waiting-charges.ts";

/**
 * Rows and statements in one batch. After an outage the rest is sent in several: the server writes one batch after the
 * other, and ends a transaction that lasts for more than a few seconds.
 */
const most = 300;
/**
 * A lease nobody used for so long goes back. Of a database that is shared later: what is here when that is away lets calls
 * through, and other nodes that need it ask for it.
 */
const idleMs = { alone: 2_000, shared: 30_000 };
const renewAfterMs = 10_000;

/** What a row was charged. */
export const costOf = ({ cost }: LedgerRow): number => (typeof cost === "number" ? cost : 0);

export class ChargeBatch {
	/** Leases that it renews. */
	readonly renewed = new Set<Lease>();
	/** Some lease becomes smaller. */
	shrinks = false;
	private readonly statements: Statement[] = [];
	/** What is true of leases and alerts once it is written. */
	private readonly afterwards: (() => void)[] = [];
	/** Accounts that it charges. */
	private readonly charged = new Set<string>();
	private readonly accounts: WaitingCharges;
	private readonly now: Moment;
	/** The database answers. */
	private readonly answers: boolean;
	private rows = 0;

	constructor(accounts: WaitingCharges, now: Moment, answers: boolean) {
		this.accounts = accounts;
		this.now = now;
		this.answers = answers;
	}

	get full(): boolean {
		return this.room <= 0;
	}

	private get room(): number {
		return most - this.rows - this.statements.length;
	}

	/** What is to be written, and the question what became of this node's leases as the last of it. */
	close(): readonly Statement[] {
		return [...this.statements, this.accounts.statements.own(this.accounts.holder)];
	}

	get empty(): boolean {
		return this.statements.length === 0;
	}

	/** It is in the database. */
	written(): void {
		for (const act of this.afterwards) act();
	}

	/** What operators are to be told of what it charges; the last thing to be added. */
	addAlerts(): void {
		const { alerts } = this.accounts;
		this.statements.push(...alerts.statements(this.charged));
		this.afterwards.push(alerts.taken());
	}

	addLoose(): void {
		const { accounts } = this;
		if (!accounts.writer) return;
		const rows = accounts.loose.slice(0, this.room);
		this.insert(rows);
		this.afterwards.push(() => {
			accounts.loose = accounts.loose.slice(rows.length);
		});
	}

	/** "more" where the lease has to come again for the rest of its rows. */
	add(lease: Lease): "more" | undefined {
		const { accounts, now } = this;
		const grows = accounts.isGrowing(lease);
		if (!grows && this.isIdle(lease)) accounts.retire(lease);
		if (lease.opened && !lease.closing && !lease.lost) accounts.keepAhead(lease);
		const ends = (lease.closing || lease.lost) && lease.drained && !grows;
		// What was lost is put right at once or not at all, however many rows it has.
		if (ends && (lease.lost || lease.rows.length <= this.room)) this.end(lease);
		else if (lease.lost || (!lease.opened && lease.kind === "slice")) return undefined;
		else if (!lease.fresh(now)) this.renew(lease);
		else if (ends || this.isDue(lease)) return this.charge(lease, grows);
		return undefined;
	}

	/** Nobody has used it for long. While the database is away nobody else could have it. */
	private isIdle({ touchedAt, drained, closing }: Lease): boolean {
		const forMs = this.accounts.store.shared ? idleMs.shared : idleMs.alone;
		return this.answers && drained && !closing && this.now.monotonic - touchedAt >= forMs;
	}

	private isDue({ dirty, recalled, renewedAt }: Lease): boolean {
		return dirty || recalled || this.now.monotonic - renewedAt > renewAfterMs;
	}

	/** The database may have given it up: whether not is to be known before rows are written that it would count twice. */
	private renew(lease: Lease): void {
		const { id, account, kind, written } = lease;
		this.statements.push(this.accounts.statements.charge({ id, account, kind, settled: written }));
		this.renewed.add(lease);
	}

	/** As much of its charges as the rows that go into the batch explain, so that the two always agree. */
	private charge(lease: Lease, grows: boolean): "more" | undefined {
		const { statements, holder, writer } = this.accounts;
		const { id, account, kind } = lease;
		const left = writer ? lease.rows.slice(Math.max(0, this.room)) : [];
		const explained = left.reduce((sum, row) => sum - costOf(row), lease.settled);
		const settled = Math.max(lease.written, explained);
		if (!lease.opened) this.statements.push(...statements.openTally(id, account, holder));
		this.statements.push(statements.charge({ id, account, kind, settled }));
		if (settled > lease.written) this.charged.add(account);
		this.renewed.add(lease);
		if (lease.recalled && !grows) lease.granted = lease.settled + lease.held;
		if (lease.granted < lease.setAside && !grows) this.shrink(lease);
		this.addRows(lease, lease.rows.length - left.length);
		this.afterwards.push(() => {
			lease.written = settled;
		});
		return left.length > 0 ? "more" : undefined;
	}

	private shrink(lease: Lease): void {
		const { granted } = lease;
		this.shrinks = true;
		this.statements.push(this.accounts.statements.shrink(lease.id, granted));
		this.afterwards.push(() => {
			lease.setAside = granted;
			lease.recalled = false;
		});
	}

	private end(lease: Lease): void {
		const { accounts } = this;
		if (lease.kind === "tally") {
			if (!lease.opened && lease.settled > 0)
				this.statements.push(...accounts.statements.openTally(lease.id, lease.account, accounts.holder));
			this.statements.push(accounts.statements.charge(lease));
		}
		this.statements.push(...accounts.statements.close(lease));
		if (lease.settled > lease.written) this.charged.add(lease.account);
		this.addRows(lease, lease.rows.length);
		this.afterwards.push(() => accounts.forget(lease));
	}

	private addRows(lease: Lease, count: number): void {
		if (count === 0 || !this.accounts.writer) return;
		this.insert(lease.rows.slice(0, count));
		this.afterwards.push(() => {
			lease.rows = lease.rows.slice(count);
		});
	}

	private insert(rows: readonly LedgerRow[]): void {
		if (rows.length === 0) return;
		this.statements.push(...(this.accounts.writer?.statements(rows) ?? []));
		this.rows += rows.length;
	}
}
