/**
 * What other plugins may ask of the quota. The ledger writes its rows through it: a charge and the row that explains it
 * are written together. Tasks hold back what they may cost. Money is whole micro-dollars.
 */
import type { SQL } from "drizzle-orm";
import { type AccessToken, type Charge, type Denial, type Statement, service, slot } from "#core";

export { budgetsFromWords, budgetsInWords } from "./budget-words.ts";
export { isZone } from "./windows.ts";

/** A row of the ledger: plain values, kept in the journal as JSON until the database has it. Its id is the call's. */
export type LedgerRow = { readonly id: string } & Readonly<Record<string, string | number | boolean | null>>;

/** A charge that no finished call explains. `amount` is negative when something is taken back. */
export interface Correction {
	/** The id of its row: the call's own, or one of its own making. */
	readonly id: string;
	readonly tokenId: string;
	readonly amount: number;
	/**
	 * `crash`: the call was running when its node died. `lease_lost`: a node fell silent and everything it had set aside
	 * was charged. `lease_found`: that node came back and told what it really used.
	 */
	readonly reason: "crash" | "lease_lost" | "lease_found";
	/** Milliseconds since 1970. */
	readonly at: number;
	/** The model asked for, where known. */
	readonly model?: string;
}

/** A finished task, for its row. */
export interface TaskCharge {
	/** The task's id, also its row's. */
	readonly id: string;
	readonly tokenId: string;
	readonly kind: string;
	readonly model: string;
	readonly upstream: string;
	readonly succeeded: boolean;
	/** Why it failed: a word, and what its client was told. */
	readonly failure?: { readonly code: string; readonly reason: string };
	/** Micro-dollars; absent when no price is known. */
	readonly charged?: number;
	/** Where it was asked for from, and the tags of its call. */
	readonly address?: string;
	readonly tags?: Readonly<Record<string, string>>;
	/** Milliseconds since 1970, of the end; and how long it took. */
	readonly at: number;
	readonly durationMs: number;
}

/** How the ledger writes. It offers this to the slot `ledgerWriters`; the first offered is used. */
export interface LedgerWriter {
	/** Inserts that leave out ids already there; called again for rows that a crash may have kept from being written. */
	statements(rows: readonly LedgerRow[]): readonly Statement[];
	/** The row of a correction. */
	correction(correction: Correction): LedgerRow;
	/** The row of a finished task, written in the batch that ends it. */
	task?(task: TaskCharge): LedgerRow;
}

/** What a task holds back. */
export interface TaskReservation {
	/**
	 * Statements for the batch that creates the task: without them the reservation is given up after a minute. The batch
	 * fails when it has been given up already. `created`: whether the batch has created it, where it may not; SQL.
	 */
	keep(created?: SQL): readonly Statement[];
}

export interface Quota {
	/**
	 * Keeps the row of a call: in the journal within this turn of the event loop, in the database within about 50 ms. If
	 * `charge` is one of the quota's, both are written in the same batch.
	 */
	record(charge: Charge | undefined, row: LedgerRow): void;
	/** Writes down everything that waits. */
	flush(): Promise<void>;
	/** Holds back what a task may cost at most. The same id twice is the same reservation. */
	reserve(
		token: Pick<AccessToken, "id" | "owner" | "compiled">,
		microDollars: number,
		taskId: string,
	): Promise<TaskReservation | Denial>;
	/**
	 * Statements for the batch that ends a task: charges what it cost (never more than was held; 0 gives all of it back)
	 * and returns the rest. Nothing happens when it was settled before.
	 */
	settle(taskId: string, microDollars: number): readonly Statement[];
}

/** Offered to by the ledger. */
export const ledgerWriters = slot<LedgerWriter>("quota.ledger-writers");

export const quota = service<Quota>("quota");
