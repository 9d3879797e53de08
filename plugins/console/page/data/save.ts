/** Saves a table as a file for spreadsheets. */

/** A spreadsheet would compute what begins like a formula; behind a semicolon or tab too, where those part its cells. */
const formula = /(^|[;\t])(?=[=+\-@\t\r\n＝＋－＠])/g;

const cell = (value: string | number): string => {
	const text = String(value);
	const safe = typeof value === "string" ? text.replaceAll(formula, "$1'") : text;
	return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Excel takes a file for one in the code page of its machine, unless this mark begins it. */
const unicodeMark = "\uFEFF";

export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
	unicodeMark + rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

export const saveCsv = (name: string, rows: readonly (readonly (string | number)[])[]): void => {
	const address = URL.createObjectURL(new Blob([csvOf(rows)], { type: "text/csv" }));
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
