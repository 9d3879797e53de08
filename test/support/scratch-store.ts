/** A database in a file of its own, for tests of plugins that store. The same rules as Portico's store, without its care for failures. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type InStatement } from "@libsql/client";
import { is, SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/libsql";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Statement, Store, Tables } from "#core";

export interface ScratchStore extends Store {
	/** Runs a statement outside the plugins' own code, to look at or to break things. */
	run(text: string, values?: (string | number | null)[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
	/** While set, every write rejects with it. */
	failWrites: Error | undefined;
	close(): void;
}

const dialect = new SQLiteAsyncDialect();

const compile = (statement: Statement): InStatement => {
	const query = is(statement, SQL)
		? dialect.sqlToQuery(statement)
		: (statement as unknown as { toSQL(): { sql: string; params: unknown[] } }).toSQL();
	return { sql: query.sql, args: query.params as (string | number | null)[] };
};

/** `folder` given: the file there is opened again, as after a restart. */
export const createScratchStore = async (tables: readonly Tables[], folder?: string): Promise<ScratchStore> => {
	const home = folder ?? mkdtempSync(join(tmpdir(), "portico-store-"));
	const client: Client = createClient({ url: `file:${join(home, "portico.db")}`, concurrency: 1 });
	await client.execute("PRAGMA journal_mode=WAL");
	await client.execute("PRAGMA synchronous=NORMAL");
	await client.execute("CREATE TABLE IF NOT EXISTS scratch_migrations (name TEXT PRIMARY KEY)");
	const applied = new Set(
		(await client.execute("SELECT name FROM scratch_migrations")).rows.map((row) => String(row.name)),
	);
	for (const { plugin, migrations } of tables)
		for (const { name, statements } of migrations) {
			if (applied.has(`${plugin}/${name}`)) continue;
			const mark = { sql: "INSERT INTO scratch_migrations VALUES (?)", args: [`${plugin}/${name}`] };
			await client.batch([...statements, mark], "write");
		}
	const rowsOf = (rows: readonly unknown[], columns: readonly string[]): Record<string, unknown>[] =>
		rows.map((row) => Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]])));
	const store: ScratchStore = {
		db: drizzle(client),
		shared: false,
		failWrites: undefined,
		async all(query) {
			const { rows, columns } = await client.execute(compile(query));
			return rowsOf(rows, columns);
		},
		async write(statements) {
			if (store.failWrites) throw store.failWrites;
			const results = await client.batch(statements.map(compile), "write");
			return results.map(({ rows, columns, rowsAffected }) => ({
				rows: rowsOf(rows, columns),
				changes: rows.length > 0 ? rows.length : rowsAffected,
			}));
		},
		async run(text, values = []) {
			const { rows, columns } = await client.execute({ sql: text, args: values });
			return rowsOf(rows, columns);
		},
		close() {
			client.close();
			if (folder === undefined) rmSync(home, { recursive: true, force: true });
		},
	};
	return store;
};
