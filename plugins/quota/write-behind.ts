/**
 * Brings to the database what happened in memory: charges with their ledger rows, every 50 ms while there are any;
 * leases renewed, made smaller, closed when nobody needs them.
 */
import { asRecord, asText, type Clock, type Log, type Statement } from "#core";
import type { Accounts } from "./accounts.ts";
import type { Lease, Moment } from "./lease.ts";
import { leaseMs } from "./statements.ts";

/** How soon charges are written, and how often leases are looked at when there are none. */
const busyMs = 50;
const promptMs = 5;
const quietMs = 1_000;
/** A lease nobody used for so long goes back, for other nodes. */
const idleMs = 2_000;
const renewAfterMs = leaseMs / 3;
/** After a failure, so that a database that is down is not besieged. */
const retryMs = 500;
const roundsAtStop = 5;

/** One batch in the making: statements, and what is true once they are written. */
interface Batch {
	readonly statements: Statement[];
	readonly written: (() => void)[];
	/** Leases that it renews. */
	readonly renewed: Set<Lease>;
	/** Accounts that it charges. */
	readonly charged: Set<string>;
	shrinks: boolean;
}

export class WriteBehind {
	/** Resolves when a lease that is being made smaller is so in the database. */
	shrinking: Promise<void> | undefined;
	private readonly accounts: Accounts;
	private readonly clock: Clock;
	private readonly log: Log;
	private running: Promise<void> | undefined;
	private cancel: (() => void) | undefined;
	private dueIn = Number.POSITIVE_INFINITY;
	private failing = false;
	private stopped = false;

	constructor(accounts: Accounts, clock: Clock, log: Log) {
		this.accounts = accounts;
		this.clock = clock;
		this.log = log;
	}

	/** Something has happened that the database should hear of soon. */
	wake(): void {
		this.schedule(this.failing ? retryMs : busyMs);
	}

	private schedule(milliseconds: number): void {
		if (this.stopped || milliseconds >= this.dueIn) return;
		this.cancel?.();
		this.dueIn = milliseconds;
		this.cancel = this.clock.after(milliseconds, () => {
			this.dueIn = Number.POSITIVE_INFINITY;
			void this.tend();
		});
	}

	/** One round, after the one that runs; failures are logged, and what was to be written waits for the next. */
	private async tend(): Promise<void> {
		try {
			await this.flush();
			if (this.failing) this.log.info("the database can be written again; charges that waited are written");
			this.failing = false;
		} catch (error) {
			if (!this.failing)
				this.log.error("charges cannot be written to the database; they wait in memory and in the journal", {
					error: error instanceof Error ? error.message : typeof error,
					code: asText(asRecord(error)["code"]),
				});
			this.failing = true;
		}
		if (this.accounts.leases.size > 0 || this.accounts.loose.length > 0) this.schedule(this.pace());
	}

	private pace(): number {
		if (this.failing) return retryMs;
		const waits =
			this.accounts.loose.length > 0 || [...this.accounts.leases].some((lease) => lease.dirty || lease.recalled);
		return waits || this.accounts.store.shared ? busyMs * 2 : quietMs;
	}

	/** Resolves when everything that had happened before the call is in the database. */
	async flush(): Promise<void> {
		await this.running?.catch(() => {});
		if (this.running) return await this.running;
		this.running = this.round().finally(() => {
			this.running = undefined;
		});
		return await this.running;
	}

	private async round(): Promise<void> {
		const { accounts } = this;
		const batch: Batch = { statements: [], written: [], renewed: new Set(), charged: new Set(), shrinks: false };
		const now = accounts.now();
		for (const lease of accounts.leases) this.plan(lease, now, batch);
		this.addLoose(batch);
		batch.statements.push(...accounts.tellings.statements(batch.charged));
		batch.written.push(accounts.tellings.taken());
		if (batch.statements.length === 0 && accounts.leases.size === 0) return;
		batch.statements.push(accounts.statements.own(accounts.holder));
		const shrunk = Promise.withResolvers<void>();
		if (batch.shrinks) this.shrinking = shrunk.promise;
		try {
			accounts.secure();
			const results = await accounts.store.write(batch.statements);
			for (const then of batch.written) then();
			await this.learn(results.at(-1)?.rows ?? [], batch, now);
		} finally {
			this.shrinking = undefined;
			shrunk.resolve();
		}
		accounts.trim();
	}

	/** What the database says of this node's leases: given up, recalled, or granted without the node ever hearing of it. */
	private async learn(rows: readonly Readonly<Record<string, unknown>>[], batch: Batch, asked: Moment): Promise<void> {
		const { accounts } = this;
		const known = new Map([...accounts.leases].map((lease) => [lease.id, lease]));
		const strangers: Statement[] = [];
		for (const { id, state, recalled } of rows) {
			const lease = known.get(String(id));
			if (!lease) strangers.push(...accounts.statements.close({ id: String(id), settled: 0 }));
			else if (state === "lost") this.lose(lease);
			else if (batch.renewed.has(lease)) lease.renewed(asked);
			if (lease && !lease.lost && recalled === 1) this.recall(lease);
		}
		if (strangers.length > 0) await accounts.store.write(strangers);
	}

	/** Others wait: what no call holds goes back at once. */
	private recall(lease: Lease): void {
		lease.recalled = true;
		if (lease.free > 0) this.schedule(promptMs);
	}

	private lose(lease: Lease): void {
		if (lease.lost) return;
		lease.lost = true;
		this.accounts.retire(lease);
		this.log.warn(
			"this node fell silent for so long that what it had set aside was charged; it is put right when its calls end",
			{
				token: lease.token,
				callsRunning: lease.running.size,
			},
		);
	}

	private addLoose(batch: Batch): void {
		const { accounts } = this;
		const rows = accounts.loose;
		if (rows.length === 0 || !accounts.writer) return;
		batch.statements.push(...accounts.writer.statements(rows));
		const count = rows.length;
		batch.written.push(() => {
			accounts.loose = accounts.loose.slice(count);
		});
	}

	private plan(lease: Lease, now: Moment, batch: Batch): void {
		const { accounts } = this;
		const busy = accounts.isBusy(lease);
		if (!busy && lease.drained && !lease.closing && now.monotonic - lease.touchedAt >= idleMs) accounts.retire(lease);
		const due = lease.dirty || lease.recalled || now.monotonic - lease.renewedAt > renewAfterMs;
		if ((lease.closing || lease.lost) && lease.drained && !busy) this.close(lease, batch);
		else if (lease.lost || (!lease.opened && lease.kind === "slice")) return;
		else if (!lease.fresh(now)) this.renew(lease, batch);
		else if (due) this.charge(lease, busy, batch);
	}

	/** The database may have given it up: whether not is to be known before rows are written that it would count twice. */
	private renew(lease: Lease, batch: Batch): void {
		const { id, token, kind, written } = lease;
		batch.statements.push(this.accounts.statements.charge({ id, token, kind, settled: written }));
		batch.renewed.add(lease);
	}

	private charge(lease: Lease, busy: boolean, batch: Batch): void {
		const { statements, holder } = this.accounts;
		const { settled } = lease;
		if (!lease.opened) batch.statements.push(...statements.openTally(lease.id, lease.token, holder));
		batch.statements.push(statements.charge(lease));
		if (settled > lease.written) batch.charged.add(lease.token);
		batch.renewed.add(lease);
		if (lease.recalled && !busy) lease.granted = lease.settled + lease.held;
		if (lease.granted < lease.setAside && !busy) this.shrink(lease, batch);
		this.addRows(lease, batch);
		batch.written.push(() => {
			lease.written = settled;
		});
	}

	private shrink(lease: Lease, batch: Batch): void {
		const { granted } = lease;
		batch.shrinks = true;
		batch.statements.push(this.accounts.statements.shrink(lease.id, granted));
		batch.written.push(() => {
			lease.setAside = granted;
			lease.recalled = false;
		});
	}

	private close(lease: Lease, batch: Batch): void {
		const { accounts } = this;
		if (lease.kind === "tally") {
			if (!lease.opened && lease.settled > 0)
				batch.statements.push(...accounts.statements.openTally(lease.id, lease.token, accounts.holder));
			batch.statements.push(accounts.statements.charge(lease));
		}
		batch.statements.push(...accounts.statements.close(lease));
		if (lease.settled > lease.written) batch.charged.add(lease.token);
		this.addRows(lease, batch);
		batch.written.push(() => accounts.forget(lease));
	}

	private addRows(lease: Lease, batch: Batch): void {
		const { writer } = this.accounts;
		if (lease.rows.length === 0 || !writer) return;
		batch.statements.push(...writer.statements(lease.rows));
		const count = lease.rows.length;
		batch.written.push(() => {
			lease.rows = lease.rows.slice(count);
		});
	}

	/** Writes and closes what can be; a lease whose calls still run stays, for the next start to find in the journal. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancel?.();
		for (let round = 0; round < roundsAtStop && this.unfinished(); round++)
			await this.flush().catch((error: unknown) =>
				this.log.error("charges could not be written before the stop; the next start writes them", {
					error: error instanceof Error ? error.message : typeof error,
				}),
			);
	}

	private unfinished(): boolean {
		return this.accounts.loose.length > 0 || [...this.accounts.leases].some((lease) => lease.drained || lease.dirty);
	}
}
