/** Inserts of many rows by few texts, because building and preparing such a query costs more than running it. */
import type { Statement } from "../contract/store.ts";
import { fixedStatement } from "./fixed-statement.ts";

/** Constant names of a table and its columns; never anything from outside. */
export interface BulkTable {
	readonly table: string;
	readonly columns: readonly string[];
}

/** Rows in one statement: each size is a text that stays prepared. SQLite takes 32,766 values in one. */
const sizes = [64, 16, 4, 1];

/**
 * A function from rows to statements that insert them and leave out rows whose key is there already. Each row gives its
 * values in the order of the columns: strings, numbers, booleans, null.
 */
export const bulkInsert = ({ table, columns }: BulkTable): ((rows: readonly (readonly unknown[])[]) => Statement[]) => {
	const one = `(${columns.map(() => "?").join(", ")})`;
	const texts = sizes.map((count) => {
		const rows = new Array<string>(count).fill(one).join(", ");
		const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows} ON CONFLICT DO NOTHING`;
		return { count, insert: fixedStatement(text) };
	});
	return (rows) => {
		const statements: Statement[] = [];
		let at = 0;
		for (const { count, insert } of texts)
			for (; rows.length - at >= count; at += count) statements.push(insert(valuesOf(rows, at, at + count)));
		return statements;
	};
};

const valuesOf = (rows: readonly (readonly unknown[])[], from: number, to: number): unknown[] => {
	const values: unknown[] = [];
	for (let index = from; index < to; index++) for (const value of rows[index] ?? []) values.push(value);
	return values;
};
