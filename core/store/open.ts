/** STOPGAP by the host's author so that the end-to-end path runs; the owner of core/store replaces this file. The interface the host uses: see OpenStore, Owner, openStore. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { createClient } from "@libsql/client";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/libsql";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Statement, Store, Tables } from "./store.ts";

/** Who holds a database file. */
export interface Owner {
	readonly pid: number;
	/** Where it serves, once it does. */
	readonly address?: string;
}

export interface OpenStore {
	readonly store: Store;
	migrate(tables: readonly Tables[]): Promise<void>;
	backup(file: string): Promise<void>;
	/** Writes out what is queued, and lets the file go. */
	close(): Promise<void>;
	healthy(): boolean;
	/** Tells other processes (the command line) where this one serves. */
	describe(info: { readonly address: string }): void;
}

export interface OpenStoreInput {
	readonly url: string;
	readonly authToken?: string;
	readonly clock: Clock;
	readonly log: Log;
}

/** Opens the database, or says which process holds its file. */
export const openStore = async ({
	url,
	authToken,
}: OpenStoreInput): Promise<OpenStore | { readonly heldBy: Owner }> => {
	if (url.startsWith("file:")) mkdirSync(dirname(url.slice(5)), { recursive: true });
	const client = createClient({ url, ...(authToken && { authToken }) });
	if (url.startsWith("file:")) await client.execute("PRAGMA journal_mode=WAL");
	const db = drizzle(client);
	const dialect = new SQLiteAsyncDialect();
	const toStatement = (statement: Statement) => {
		const query =
			"toSQL" in statement
				? (statement as unknown as { toSQL(): { sql: string; params: unknown[] } }).toSQL()
				: dialect.sqlToQuery(statement as SQL);
		return { sql: query.sql, args: query.params as never[] };
	};
	const store: Store = {
		db,
		shared: !url.startsWith("file:"),
		all: async (query) => (await client.execute(toStatement(query))).rows as unknown as Record<string, unknown>[],
		write: async (statements) => {
			const results = await client.batch(statements.map(toStatement), "write");
			return results.map((result) => ({
				rows: result.rows as unknown as Record<string, unknown>[],
				changes: result.rowsAffected,
			}));
		},
	};
	return {
		store,
		async migrate(all) {
			await client.execute(
				"CREATE TABLE IF NOT EXISTS portico_migrations (plugin TEXT, name TEXT, PRIMARY KEY (plugin, name))",
			);
			for (const { plugin, migrations } of all)
				for (const { name, statements } of migrations) {
					const done = await client.execute({
						sql: "SELECT 1 FROM portico_migrations WHERE plugin = ? AND name = ?",
						args: [plugin, name],
					});
					if (done.rows.length === 0)
						await client.batch(
							[{ sql: "INSERT INTO portico_migrations VALUES (?, ?)", args: [plugin, name] }, ...statements],
							"write",
						);
				}
		},
		backup: async (file) => void (await client.execute({ sql: "VACUUM INTO ?", args: [file] })),
		close: async () => client.close(),
		healthy: () => true,
		describe: () => undefined,
	};
};
