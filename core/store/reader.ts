/** drizzle's query builder for reads: it tries again like every read, and its errors do not carry parameters. */
import { LibSQLDatabase } from "drizzle-orm/libsql";
import { type LibSQLPreparedQuery, LibSQLSession } from "drizzle-orm/libsql/session";
import { type PreparedQueryConfig, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { StoreFault } from "../errors/store-fault.ts";
import type { Connection } from "./connection.ts";

type Schema = Record<string, never>;
type PrepareArguments = Parameters<LibSQLSession<Schema, Schema>["prepareQuery"]>;

export const createReader = (connection: Connection): LibSQLDatabase => {
	const dialect = new SQLiteAsyncDialect();
	return new LibSQLDatabase("async", dialect, new ReadSession(connection, dialect), undefined);
};

class ReadSession extends LibSQLSession<Schema, Schema> {
	readonly #connection: Connection;

	constructor(connection: Connection, dialect: SQLiteAsyncDialect) {
		super(connection.client, dialect, undefined, {}, undefined);
		this.#connection = connection;
	}

	override prepareQuery<T extends Omit<PreparedQueryConfig, "statement" | "run">>(
		...given: PrepareArguments
	): LibSQLPreparedQuery<T> {
		const [query, , , , , metadata] = given;
		if (metadata !== undefined && metadata.type !== "select") throw new StoreFault("NOT_A_READ", query.sql);
		const prepared = super.prepareQuery<T>(...given);
		const steady = <R>(read: () => Promise<R>): Promise<R> => this.#connection.run("read", read);
		const { run, all, get, values } = prepared;
		prepared.run = (placeholders) => steady(() => run.call(prepared, placeholders));
		prepared.all = (placeholders) => steady(() => all.call(prepared, placeholders));
		prepared.get = (placeholders) => steady(() => get.call(prepared, placeholders));
		prepared.values = (placeholders) => steady(() => values.call(prepared, placeholders));
		return prepared;
	}
}
