/** The one write queue: every write is atomic, in order, and fails alone. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { InValue, ResultSet } from "@libsql/client";
import { isSQLWrapper } from "drizzle-orm/sql";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Statement, Written } from "../contract/store.ts";
import { StoreFault } from "../errors/store-fault.ts";
import type { Connection } from "./connection.ts";
import { storeFault } from "./fault.ts";
import { type Prepared, returnsChanges } from "./file-writer.ts";

interface Write {
	readonly statements: readonly Prepared[];
	readonly resolve: (written: readonly Written[]) => void;
	readonly reject: (fault: StoreFault) => void;
}

/** How many statements of waiting writes share one transaction: 32 take a third of the time they take alone. */
const mostJoined = 64;
const mostWaiting = 10_000;

const dialect = new SQLiteAsyncDialect();

/** A drizzle query as SQL with parameters. Throws `StoreFault` for a parameter that a database cannot hold. */
export const prepare = (statement: Statement): Prepared => {
	if (!isSQLWrapper(statement)) throw new StoreFault("NOT_A_STATEMENT", "expected a drizzle query or sql`…`");
	const { sql, params } = dialect.sqlToQuery(statement.getSQL());
	return { sql, args: valuesOf(params) };
};

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

const goesAsItIs = (value: unknown): value is Exclude<InValue, boolean | Date> =>
	value === null ||
	typeof value === "string" ||
	typeof value === "bigint" ||
	(typeof value === "number" && Number.isFinite(value)) ||
	value instanceof Uint8Array ||
	value instanceof ArrayBuffer;

/** The driver sends every number as a REAL, and `3 / 2` would be 1.5 in a table of integers: so whole numbers go as integers. */
const valuesOf = (params: readonly unknown[]): InValue[] => {
	const values: InValue[] = [];
	for (const value of params) {
		if (isWhole(value) || typeof value === "boolean") values.push(BigInt(value));
		else if (value instanceof Date) values.push(BigInt(value.getTime()));
		else if (goesAsItIs(value)) values.push(value);
		else throw new StoreFault("PARAMETER", `a parameter is ${typeof value}, which a database cannot hold`);
	}
	return values;
};

/** Rows as plain objects by column name. */
export const rowsOf = ({ rows }: ResultSet): Written["rows"] => rows.map((row) => ({ ...row }));

const changesAny = (written: readonly Written[]): boolean => written.some(({ changes }) => changes > 0);

export class WriteQueue {
	readonly #connection: Connection;
	#waiting: Write[] = [];
	#running: Promise<void> | undefined;
	#closed = false;

	constructor(connection: Connection) {
		this.#connection = connection;
	}

	write(statements: readonly Prepared[]): Promise<readonly Written[]> {
		if (this.#closed) return Promise.reject(new StoreFault("CLOSED", "the store is closed"));
		if (this.#waiting.length >= mostWaiting) {
			return Promise.reject(new StoreFault("QUEUE_FULL", `${mostWaiting} writes are waiting`, true));
		}
		return new Promise((resolve, reject) => {
			this.#waiting.push({ statements, resolve, reject });
			this.#running ??= this.#run();
		});
	}

	/** Takes no more writes; resolves when all that were taken are settled. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#running;
	}

	async #run(): Promise<void> {
		// writes of the same turn come together; others get their turn between two transactions
		for (await nextTurn(); this.#waiting.length > 0; await nextTurn()) await this.#commit(this.#take());
		this.#running = undefined;
	}

	#take(): Write[] {
		let count = 0;
		const end = this.#waiting.findIndex(({ statements }, index) => {
			count += statements.length;
			return index > 0 && count > mostJoined;
		});
		return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
	}

	async #commit(group: readonly Write[]): Promise<void> {
		try {
			const results = await this.#execute(group.flatMap(({ statements }) => statements));
			let from = 0;
			for (const { statements, resolve } of group) {
				resolve(results.slice(from, from + statements.length));
				from += statements.length;
			}
		} catch (error) {
			const fault = storeFault(error);
			if (group.length === 1 || fault.passing) for (const { reject } of group) reject(fault);
			else for (const write of group) await this.#commit([write]);
		}
	}

	#execute(statements: readonly Prepared[]): Promise<readonly Written[]> {
		const connection = this.#connection;
		const send = async () => connection.writer?.write(statements) ?? (await this.#send(statements));
		return connection.run("write", send, changesAny);
	}

	async #send(statements: readonly Prepared[]): Promise<readonly Written[]> {
		const { client } = this.#connection;
		const [only, ...more] = statements;
		if (only === undefined) return [];
		const results = more.length === 0 ? [await client.execute(only)] : await client.batch([...statements], "write");
		return results.map((result, index) => {
			const rows = rowsOf(result);
			return { rows, changes: returnsChanges(statements[index]?.sql ?? "") ? rows.length : result.rowsAffected };
		});
	}
}
