/**
 * A store in memory with the contract of the real one, for tests of what writes through it: every write is one
 * transaction in one queue. Faults can be put in its way: a reply that is lost after the commit (the write is repeated, as
 * the real store does), a write that never arrives, a database that is down.
 */
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Statement, Store, Tables, Written } from "#core";

const dialect = new SQLiteSyncDialect();

export interface Faults {
	/** Called before each write; what it returns happens to it. */
	next?(): "none" | "lost_reply" | "failed" | "failed_after_commit";
}

type Compiled = { readonly sql: string; readonly params: readonly unknown[] };

const compile = (statement: Statement): Compiled => {
	if ("getSQL" in statement && "toSQL" in statement) return (statement as unknown as { toSQL(): Compiled }).toSQL();
	return dialect.sqlToQuery(statement as SQL);
};

/** The tables once, shared by every node of a test; `open` gives a node's own store over them. */
export class SqliteDatabase {
	readonly database = new Database(":memory:");

	constructor(...tables: readonly Tables[]) {
		for (const { migrations } of tables)
			for (const { statements } of migrations) for (const statement of statements) this.database.exec(statement);
	}

	private run({ sql: text, params }: Compiled): Written {
		const prepared = this.database.query(text);
		const bindings = params as SQLQueryBindings[];
		if (/^\s*(select|with)/i.test(text) || /returning/i.test(text))
			return { rows: prepared.all(...bindings) as Written["rows"], changes: 0 };
		return { rows: [], changes: prepared.run(...bindings).changes };
	}

	write(statements: readonly Statement[]): readonly Written[] {
		this.database.exec("BEGIN IMMEDIATE");
		try {
			const written = statements.map((statement) => this.run(compile(statement)));
			this.database.exec("COMMIT");
			return written;
		} catch (error) {
			this.database.exec("ROLLBACK");
			throw error;
		}
	}

	rows(text: string, ...params: SQLQueryBindings[]): readonly Record<string, unknown>[] {
		return this.database.query(text).all(...params) as Record<string, unknown>[];
	}

	/** A node's store. `shared`: other nodes may write here too. */
	open(options: { readonly shared?: boolean; readonly faults?: Faults } = {}): Store & { writes: number } {
		let queue: Promise<unknown> = Promise.resolve();
		const store = {
			writes: 0,
			shared: options.shared ?? false,
			get db(): Store["db"] {
				throw new Error("tests read by `all`");
			},
			all: async (query: SQL) => this.run(dialect.sqlToQuery(query)).rows,
			write: (statements: readonly Statement[]): Promise<readonly Written[]> => {
				const next = queue.then(() => {
					store.writes++;
					const fault = options.faults?.next?.() ?? "none";
					if (fault === "failed") throw new Error("the database is down");
					const written = this.write(statements);
					if (fault === "lost_reply") return this.write(statements);
					if (fault === "failed_after_commit") throw new Error("the database is down");
					return written;
				});
				queue = next.catch(() => {});
				return next;
			},
		};
		return store;
	}
}

/** A point in time that the test moves, as SQL: what the database takes for now. */
export const sqlTime = (read: () => number): SQL => sql`${{ getSQL: () => sql`${read()}` }}`;
