/** Tables and amounts for the command line, alike in every command. */

export interface Column {
	readonly title: string;
	/** Figures stand under each other by their ends. */
	readonly right?: boolean;
}

/** Names come from many hands; a terminal obeys what it is not to be shown. */
const shown = (text: string | undefined): string => text?.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "�") || "-";

/** Lines of a table: its titles in capitals, then the rows, an empty cell as `-`. */
export const tableLines = (columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] => {
	const titles = columns.map(({ title }) => title.toUpperCase());
	const cells = [titles, ...rows.map((row) => columns.map((_, at) => shown(row[at])))];
	const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
	const fit = (text: string, at: number): string =>
		columns[at]?.right === true ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
	return cells.map((line) => line.map(fit).join("  ").trimEnd());
};

/** `$1.50`, and as many digits more as a small amount has. */
export const dollars = (amount: number): string =>
	`$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
