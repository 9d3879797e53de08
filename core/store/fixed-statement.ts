/** Statements whose text is written once: putting one together by `sql` at every use costs more than running it. */
import { SQL } from "drizzle-orm";

class FixedStatement extends SQL {
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

/** A statement of a constant text, for what every call writes. `values`: one for each `?` of it, in their order: strings, numbers, booleans, null. */
export const fixedStatement =
	(text: string) =>
	(values: unknown[]): SQL =>
		new FixedStatement(text, values);
