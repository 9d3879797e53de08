/** Rows as CSV (RFC 4180), fit for a spreadsheet. */

/** A spreadsheet takes what begins so for a formula; behind a semicolon or tab too, where those part its cells. */
const formula = /(^|[;\t])(?=[=+\-@\t\r\n＝＋－＠])/g;

const cell = (value: unknown): string => {
	const text = value === null || value === undefined ? "" : String(value);
	const plain = typeof value === "string" ? text.replaceAll(formula, "$1'") : text;
	return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

type Row = Readonly<Record<string, unknown>>;

/** A line for each row, below one of titles where they are wanted. */
export const csvLines = (columns: readonly string[], rows: readonly Row[], titled = false): string => {
	const lines = rows.map((row) => columns.map((column) => row[column]));
	return [...(titled ? [columns] : []), ...lines].map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
};

/** With a line of titles. */
export const csvText = (rows: readonly Row[]): string => csvLines(Object.keys(rows[0] ?? {}), rows, true);
