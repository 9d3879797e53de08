/** Tables of Markdown. */

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ");

/** A table with a line for each row, or nothing where there is none. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
	if (rows.length === 0) return "";
	const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
};

export const code = (text: string): string => `\`${text}\``;
