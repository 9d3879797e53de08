/** What those who write charges behind borrow from the node: what waits for the database, and who is to hear that it is there. */
import type { Store } from "#core";
import type { Journal } from "./journal.ts";
import type { Lease, Moment } from "./lease.ts";
import type { LedgerRow, LedgerWriter } from "./service.ts";
import type { Statements } from "./statements.ts";
import type { ThresholdAlerts } from "./threshold-alerts.ts";

export interface WaitingCharges {
	readonly store: Store;
	readonly statements: Statements;
	/** This process, among all that share the database. */
	readonly holder: string;
	readonly journal: Journal;
	readonly leases: ReadonlySet<Lease>;
	readonly alerts: ThresholdAlerts;
	/** Absent where nobody keeps rows. */
	readonly writer: LedgerWriter | undefined;
	/** Rows of calls that were charged nothing. */
	loose: LedgerRow[];
	/** So many rows wait that no more calls are let through. */
	behind: boolean;
	now(): Moment;
	/** How many rows are not in the database yet. */
	waitingRows(): number;
	/** Whether its account asks the database to make it larger. */
	isGrowing(lease: Lease): boolean;
	/** Asks for more before the account runs out. */
	keepAhead(lease: Lease): void;
	/** Detaches a lease; it is closed when its calls have settled. */
	retire(lease: Lease): void;
	/** The database has closed it. */
	forget(lease: Lease): void;
	/** Begins the journal anew when it has grown. */
	trim(): void;
}
