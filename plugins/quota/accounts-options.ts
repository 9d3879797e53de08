/** What the accounts of a node are made of, and who asks them. */
import type { Clock, Log, Store } from "#core";
import type { Journals } from "./journal.ts";
import type { Statements } from "./statements.ts";

export interface AccountsOptions {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly journals: Journals;
	readonly statements?: Statements;
	/** The boot of the machine, when it is not this one's: for tests. */
	readonly boot?: string;
	/** Ledger rows that may wait for the database; with more of them calls are refused. As many as a ledger without quotas keeps, unless said. */
	readonly mostWaiting?: number;
}

/** A call that wants to hold something on an account; `id` is its own and never used twice. */
export interface Caller {
	readonly id: string;
	readonly account: string;
	readonly model: string;
	/** Hears how much is held, in time for what it writes to the journal to be written with that. */
	readonly promised?: (amount: number) => void;
}
