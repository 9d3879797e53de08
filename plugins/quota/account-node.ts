/** What an account borrows from the node it is on. */
import type { Store } from "#core";
import type { Lease, Moment } from "./lease.ts";
import type { Statements } from "./statements.ts";

export interface AccountNode {
	readonly store: Store;
	readonly statements: Statements;
	/** This process, among all that share the database. */
	readonly holder: string;
	now(): Moment;
	/** A new lease, in the journal before the database hears of it. */
	begin(account: string, kind: Lease["kind"]): Lease;
	/** Detaches a slice; it is closed when its calls have settled. */
	retire(lease: Lease): void;
	/** Resolves when everything that had happened before is in the database. */
	flush(): Promise<void>;
	/** Resolves when other nodes have had the time to give back what they do not need. */
	recall(account: string): Promise<void>;
	/** A lease that is being made smaller: resolves when the database knows. */
	shrinking(): Promise<void> | undefined;
}
