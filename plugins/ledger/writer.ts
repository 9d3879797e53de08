/**
 * Writes rows behind the calls: many at a time, again when it fails, and everything before a stop. Serves where there are no
 * quotas; with them, rows go through the quota's journal, in one batch with the charges they explain.
 */
import { type Clock, describe, type Log, type Store } from "#core";
import { insertRows, type LedgerRow } from "./tables.ts";

/** How long a row may wait for others, milliseconds. */
const gatherMs = 50;
/** Rows in one write. */
const rowsPerWrite = 500;
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
			this.waiting.splice(0, rowsPerWrite);
			this.log.error("ledger rows were given up: the database has not taken any for too long", {
				rows: rowsPerWrite,
			});
		}
		this.cancel ??= this.clock.after(gatherMs, () => this.flushSoon());
	}

	/** Resolves when every row that waits now has been written. Rejects when the database does not take them. */
	flush(): Promise<void> {
		this.running ??= this.drain().finally(() => {
			this.running = undefined;
		});
		return this.running;
	}

	private flushSoon(): void {
		this.cancel = undefined;
		this.flush().catch((error: unknown) => {
			this.log.warn("the ledger could not be written and will be tried again", {
				rows: this.waiting.length,
				error: describe(error),
			});
			this.cancel ??= this.clock.after(pauseAfterFailureMs, () => this.flushSoon());
		});
	}

	private async drain(): Promise<void> {
		while (this.waiting.length > 0) {
			// Taken out first: what is given up meanwhile must not be mistaken for what was written.
			const rows = this.waiting.splice(0, rowsPerWrite);
			try {
				await this.store.write(insertRows(rows));
			} catch (error) {
				this.waiting.unshift(...rows);
				throw error;
			}
		}
	}
}
