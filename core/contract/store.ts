/** The database as plugins see it. Only `core/store` knows libSQL. */
import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { LibSQLDatabase } from "drizzle-orm/libsql";
import { service, slot } from "./token.ts";

/** Raw `sql`, which `#core` has, or a query of drizzle's builder (`db.insert(…)`). Whole numbers and booleans are sent as integers. */
export type Statement = BatchItem<"sqlite"> | SQL;

/** What one statement of a write did: rows it returned (by column name) and how many rows it changed. */
export interface Written {
	readonly rows: readonly Readonly<Record<string, unknown>>[];
	readonly changes: number;
}

/**
 * The database.
 *
 * @example
 * const [row] = await needs.store.all(sql`SELECT visits FROM my_visits WHERE id = ${id}`);
 * await needs.store.write([sql`INSERT INTO my_visits (id, visits) VALUES (${id}, 1) ON CONFLICT (id) DO NOTHING`]);
 */
export interface Store {
	/** For reads only, by drizzle's builder: `store.db.select().from(table)…`. Reads go to the primary. */
	readonly db: LibSQLDatabase;
	/** Rows of a raw read, by column name. */
	all(query: SQL): Promise<readonly Readonly<Record<string, unknown>>[]>;
	/**
	 * Writes all statements atomically, in order, through the one write queue. They must be safe to repeat (ids made by the
	 * caller, `ON CONFLICT`, conditions): the store writes again after a busy database, and callers do after a reply that was
	 * lost behind the commit. Rejects with `StoreFault`, which carries no parameters.
	 */
	write(statements: readonly Statement[]): Promise<readonly Written[]>;
	/** From now on `listen`, in place of an earlier one, hears how long each operation took, waits for a busy database included. */
	timed?(listen: (operation: "read" | "write", milliseconds: number) => void): void;
	/** Whether several processes may share this database. */
	readonly shared: boolean;
}

/** Given by the host. */
export const store = service<Store>("store");

/**
 * The tables of one plugin: forward-only migrations, applied once each, in order, after those of the plugins it needs.
 *
 * @example
 * add(tables, {
 * 	plugin: "my-plugin",
 * 	migrations: [{ name: "0001", statements: ["CREATE TABLE my_visits (id TEXT PRIMARY KEY, visits INTEGER NOT NULL)"] }],
 * });
 */
export interface Tables {
	readonly plugin: string;
	readonly migrations: readonly Migration[];
	/**
	 * Statements that clear, in a backup that is about to take the database's place, what processes had set aside when it was
	 * made: none of them goes on with it. They must be safe to run twice, and use only what the first migration made.
	 */
	readonly restored?: readonly string[];
}

/** Never changed once released, never drops data. One statement in each text; they run in one batch. */
export interface Migration {
	readonly name: string;
	readonly statements: readonly string[];
}

/** Tables of plugins, made and changed before the plugins start. */
export const tables = slot<Tables>("tables");
