/** Writes rows behind the calls: many at a time, again when it fails, and everything before a stop. */
import type { Clock, Log, Store } from "#core";
import { type LedgerRow, ledgerRows } from "./tables.ts";

/** How long a row may wait for others, milliseconds. */
const gatherMs = 50;
/** Rows in one statement: SQLite takes 32,766 values, a row has 25. */
const rowsPerStatement = 100;
/** Rows that wait for a database that cannot be reached; beyond it the oldest are given up, and the log says so. */
const mostWaiting = 200_000;
const pauseAfterFailureMs = 1000;

export class Writer {
	private readonly store: Store;
	private readonly clock: Clock;
	private readonly log: Log;
	private waiting: LedgerRow[] = [];
	private running: Promise<void> | undefined;
	private cancel: (() => void) | undefined;

	constructor(store: Store, clock: Clock, log: Log) {
		this.store = store;
		this.clock = clock;
		this.log = log;
	}

	add(row: LedgerRow): void {
		this.waiting.push(row);
		if (this.waiting.length > mostWaiting) {
			this.waiting.splice(0, rowsPerStatement);
			this.log.error("ledger rows were given up: the database has not taken any for too long", {
				rows: rowsPerStatement,
			});
		}
		this.cancel ??= this.clock.after(gatherMs, () => this.flushSoon());
	}

	/** Resolves when every row that waits now has been written. Rejects when the database does not take them. */
	async flush(): Promise<void> {
		await this.running?.catch(() => undefined);
		while (this.waiting.length > 0) {
			this.running = this.write();
			await this.running;
		}
	}

	private flushSoon(): void {
		this.cancel = undefined;
		this.flush().catch(() => {
			this.log.warn("the ledger could not be written and will be tried again", { rows: this.waiting.length });
			this.cancel ??= this.clock.after(pauseAfterFailureMs, () => this.flushSoon());
		});
	}

	private async write(): Promise<void> {
		const rows = this.waiting.slice(0, rowsPerStatement);
		await this.store.write([this.store.db.insert(ledgerRows).values(rows).onConflictDoNothing()]);
		this.waiting.splice(0, rows.length);
	}
}
