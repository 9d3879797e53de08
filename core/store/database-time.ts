/**
 * One clock for all nodes: the database's, when several share it. A node whose clock is fast must neither retry early nor
 * take a lease for over that another node holds.
 */
import { sql } from "drizzle-orm";
import type { Clock } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import { asNumber } from "../neutral/json.ts";

/** Milliseconds since 1970 by the database's own clock, for a statement. */
export const databaseTime = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

interface DatabaseTime {
	/** Milliseconds since 1970. */
	now(): number;
	/** Compares the clocks again. Does nothing when the database is this process's own. */
	compare(): Promise<void>;
}

export const createDatabaseTime = (store: Store, clock: Clock): DatabaseTime => {
	let ahead = 0;
	return {
		now: () => clock.now() + ahead,
		async compare() {
			if (!store.shared) return;
			const before = clock.now();
			const [row] = await store.all(sql`SELECT ${databaseTime} AS now`);
			const theirs = asNumber(row?.["now"]);
			if (theirs !== undefined) ahead = Math.round(theirs - (before + clock.now()) / 2);
		},
	};
};
