/** Tables and amounts for the command line, alike in every command. */
import { harmless, terminalWidth } from "../runtime/terminal.ts";

export interface Column {
	readonly title: string;
	/** Figures stand under each other by their ends. */
	readonly right?: boolean;
}

const empty = "-";

/** Names come from many hands: none of them ends its line. */
const shown = (text: string | undefined): string => (text && harmless(text).replace(/[\t\r\n]/g, "�")) || empty;

const plain = /^[ -~]*$/;
/** Letters of East Asia and most emoji. */
const wide =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;
const without = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many places a letter takes on a terminal: two, or none for a mark that stands on another. */
const placesOf = (letter: string): number => {
	if (without.test(letter)) return 0;
	return wide.test(letter) ? 2 : 1;
};

const widthOf = (text: string): number =>
	plain.test(text) ? text.length : [...text].reduce((sum, letter) => sum + placesOf(letter), 0);

/** How far the second line of a row stands in. */
const indent = "  ";

/** The numbers of the columns, by the line on which they fit. */
const linesThatFit = (widths: readonly number[], width: number): readonly (readonly number[])[] => {
	const lines: number[][] = [[]];
	let used = 0;
	for (const [at, own] of widths.entries()) {
		const line = lines.at(-1) ?? [];
		if (line.length > 0 && used + own > width) {
			lines.push([at]);
			used = indent.length + own + 2;
		} else {
			line.push(at);
			used += own + 2;
		}
	}
	return lines;
};

/** A row as a block, a line for each cell in which there is something; the first says whose it is. */
const blocks = (titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
	const longest = Math.max(...titles.map(({ length }) => length));
	return rows.flatMap((row, index) => [
		...(index === 0 ? [] : [""]),
		...row.flatMap((text, at) => (at > 0 && text === empty ? [] : `${titles[at]?.padEnd(longest)}  ${text}`)),
	]);
};

/**
 * Lines of a table: its titles in capitals, then the rows (a column that is a title alone holds words), an empty cell as `-`. Where a terminal is too narrow for it each row
 * takes two lines, and where that is not enough it is a block of its own, without what is empty.
 */
export const tableLines = (
	heads: readonly (Column | string)[],
	rows: readonly (readonly string[])[],
	width = terminalWidth() ?? Number.POSITIVE_INFINITY,
): readonly string[] => {
	const columns = heads.map((head): Column => (typeof head === "string" ? { title: head } : head));
	const titles = columns.map(({ title }) => title.toUpperCase());
	const cells = [titles, ...rows.map((row) => columns.map((_, at) => shown(row[at])))];
	const widths = columns.map((_, at) => Math.max(...cells.map((line) => widthOf(line[at] ?? ""))));
	const fit = (text: string, at: number): string => {
		const room = " ".repeat((widths[at] ?? 0) - widthOf(text));
		return columns[at]?.right === true ? room + text : text + room;
	};
	const lines = linesThatFit(widths, width);
	if (lines.length > 2 && rows.length > 0) return blocks(titles, cells.slice(1));
	return cells.flatMap((row) =>
		lines.map((some, index) =>
			((index === 0 ? "" : indent) + some.map((at) => fit(row[at] ?? "", at)).join("  ")).trimEnd(),
		),
	);
};

/** A list under its title, in as many lines as it needs where a terminal is narrow; else in one. */
export const listLines = (title: string, items: readonly string[], width: number | undefined): readonly string[] => {
	const head = `  ${title.padEnd(8)}`;
	const lines = [head];
	for (const [index, item] of items.entries()) {
		const text = index === items.length - 1 ? item : `${item}, `;
		const line = lines.at(-1) ?? "";
		const fits = width === undefined || line === head || line.length + text.trimEnd().length <= width;
		if (fits) lines[lines.length - 1] = line + text;
		else lines.push(" ".repeat(head.length) + text);
	}
	return lines.map((line) => line.trimEnd());
};

/** `$1.50`, and as many digits more as a small amount has; `-$1.50` for what was given back. */
export const dollars = (amount: number): string => {
	const figures = Math.abs(amount).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 });
	return `${amount < 0 ? "-" : ""}$${figures}`;
};
