/** Inserts of many rows: the text is made once for each number of rows, because building such a query costs more than running it. */
import { SQL } from "drizzle-orm";
import type { Statement } from "./store.ts";

/** Constant names of a table and its columns; never anything from outside. */
export interface BulkTable {
	readonly table: string;
	readonly columns: readonly string[];
}

/** SQLite takes 32,766 values in a statement. */
const mostValues = 32_000;

class WrittenOut extends SQL {
	private readonly text: string;
	private readonly values: unknown[];

	constructor(text: string, values: unknown[]) {
		super([]);
		this.text = text;
		this.values = values;
	}

	override toQuery(): { sql: string; params: unknown[] } {
		return { sql: this.text, params: this.values };
	}
}

/**
 * A function from rows to statements that insert them and leave out rows whose key is there already. Each row gives its
 * values in the order of the columns: strings, numbers, booleans, null.
 */
export const bulkInsert = ({ table, columns }: BulkTable): ((rows: readonly (readonly unknown[])[]) => Statement[]) => {
	const texts = new Map<number, string>();
	const most = Math.min(100, Math.floor(mostValues / columns.length));
	const one = `(${columns.map(() => "?").join(", ")})`;
	const textFor = (count: number): string => {
		const known = texts.get(count);
		if (known !== undefined) return known;
		const rows = new Array<string>(count).fill(one).join(", ");
		const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows} ON CONFLICT DO NOTHING`;
		texts.set(count, text);
		return text;
	};
	return (rows) => {
		const statements: Statement[] = [];
		for (let at = 0; at < rows.length; at += most) {
			const some = rows.slice(at, at + most);
			statements.push(new WrittenOut(textFor(some.length), some.flat()));
		}
		return statements;
	};
};
