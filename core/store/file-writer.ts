/** Writes to a database file by statements that stay prepared: preparing one costs as much as running it. */
import type { InValue } from "@libsql/client";
import Database from "libsql";
import type { Written } from "../contract/store.ts";
import { asRecord } from "../neutral/json.ts";

/** A statement as the driver takes it. */
export interface Prepared {
	readonly sql: string;
	readonly args: InValue[];
}

type Statement = ReturnType<Database.Database["prepare"]>;

/** Texts are few (a plugin makes them once); were they ever many, they are prepared anew. */
const mostKept = 200;

/** Whether the rows a statement returns are those it changed: the driver does not count them. */
export const returnsChanges = (sql: string): boolean => /\breturning\b/i.test(sql);

export class FileWriter {
	readonly #database: Database.Database;
	readonly #kept = new Map<string, Statement>();

	/** `lockWaitMs`: how long a statement holds up the process when another has the lock. */
	constructor(file: string, lockWaitMs: number) {
		this.#database = new Database(file, { timeout: lockWaitMs });
		this.#database.exec("PRAGMA synchronous = NORMAL");
	}

	/** All or none of them, in order, before anything else happens in this process. Throws what the driver throws. */
	write(statements: readonly Prepared[]): Written[] {
		const [only, ...more] = statements;
		if (only === undefined) return [];
		try {
			if (more.length === 0) return [this.#run(only)];
			this.#run(begin);
			const written = statements.map((statement) => this.#run(statement));
			this.#run(commit);
			return written;
		} catch (error) {
			// What failed may still be under way, as the driver does not reset it: none of it is used again.
			this.#kept.clear();
			if (this.#database.open && this.#database.inTransaction) this.#database.exec("ROLLBACK");
			throw error;
		}
	}

	/** Moves what stands in the write-ahead log into the file itself, so that the file alone is all there is. */
	settle(): void {
		this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	}

	close(): void {
		this.#kept.clear();
		if (this.#database.open) this.#database.close();
	}

	#run({ sql, args }: Prepared): Written {
		const statement = this.#kept.get(sql) ?? this.#prepare(sql);
		if (!statement.reader) return { rows: [], changes: statement.run(args).changes };
		const rows = statement.all(args).map(plain);
		return { rows, changes: returnsChanges(sql) ? rows.length : 0 };
	}

	#prepare(sql: string): Statement {
		const statement = this.#database.prepare(sql).safeIntegers();
		if (this.#kept.size >= mostKept) this.#kept.clear();
		this.#kept.set(sql, statement);
		return statement;
	}
}

/** A row whose whole numbers are numbers; one that is too large for that is refused rather than bent. */
const plain = (row: unknown): Record<string, unknown> => {
	const values: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(asRecord(row))) {
		const number = typeof value === "bigint" ? Number(value) : value;
		if (typeof value === "bigint" && !Number.isSafeInteger(number)) throw new RangeError("an integer is too large");
		values[name] = number;
	}
	return values;
};

const begin: Prepared = { sql: "BEGIN IMMEDIATE", args: [] };
const commit: Prepared = { sql: "COMMIT", args: [] };
