/** Inserts of many rows by few texts, because building and preparing such a query costs more than running it. */
import type { Statement } from "../contract/store.ts";
import { fixedStatement } from "./fixed-statement.ts";

/** Constant names of a table and its columns; never anything from outside. */
interface BulkTable {
	readonly table: string;
	readonly columns: readonly string[];
}

/** Rows in one statement: each size is a text that stays prepared. SQLite takes 32,766 values in one. */
const sizes = [64, 16, 4, 1];

/** Values by column: strings, numbers, booleans, null, which stands for what is not there. */
type BulkRow = Readonly<Record<string, unknown>>;

/** A function from rows to statements that insert them and leave out rows whose key is there already. */
export const bulkInsert = ({ table, columns }: BulkTable): ((rows: readonly BulkRow[]) => Statement[]) => {
	const one = `(${columns.map(() => "?").join(", ")})`;
	const texts = sizes.map((count) => {
		const rows = new Array<string>(count).fill(one).join(", ");
		const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows} ON CONFLICT DO NOTHING`;
		return { count, insert: fixedStatement(text) };
	});
	const valuesOf = (rows: readonly BulkRow[]): unknown[] => {
		const values: unknown[] = [];
		for (const row of rows) for (const column of columns) values.push(row[column] ?? null);
		return values;
	};
	return (rows) => {
		const statements: Statement[] = [];
		let at = 0;
		for (const { count, insert } of texts)
			for (; rows.length - at >= count; at += count) statements.push(insert(valuesOf(rows.slice(at, at + count))));
		return statements;
	};
};
