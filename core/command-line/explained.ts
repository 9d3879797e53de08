/** How a command is explained: for a terminal of 80 columns, which nobody's is narrower than. */

const columns = 80;

/** Where the lines go on that follow a line which is too long: below its explanation, or below the first of its words in brackets. */
const hangOf = (line: string): number => {
	const [explained = ""] = /^\s+\S.*?\s{2,}(?=\S)/.exec(line) ?? [];
	if (explained !== "") return explained.length;
	const [called = ""] = /^portico [^[]*(?=\[)/.exec(line) ?? [];
	return called.length || line.length - line.trimStart().length;
};

/** The words of a line; what stands in brackets stays together. */
const piecesOf = (text: string): readonly string[] => text.split(/ (?![^[\]]*\])/);

const inLines = (line: string): string => {
	if (line.length <= columns) return line;
	const hang = hangOf(line);
	const lines = [line.slice(0, hang).trimEnd()];
	let last = line.slice(0, hang);
	for (const piece of piecesOf(line.slice(hang))) {
		const longer = last.trim() === "" || last.endsWith(" ") ? last + piece : `${last} ${piece}`;
		if (longer.length > columns && last.trim() !== "") lines.push("");
		last = longer.length > columns && last.trim() !== "" ? " ".repeat(hang) + piece : longer;
		lines[lines.length - 1] = last;
	}
	return lines.join("\n");
};

/** The text with its long lines broken. */
export const inColumns = (text: string): string => text.split("\n").map(inLines).join("\n");

/** What `--help` shows of a command: what it does, and then how it is called. */
export const explained = (command: { readonly summary: string; readonly usage: string | (() => string) }): string => {
	const usage = typeof command.usage === "string" ? command.usage : command.usage();
	return inColumns(`${command.summary}\n\n${usage}`);
};

/** Whether the words of a command ask for that. */
export const asksForHelp = (words: readonly string[]): boolean => words.includes("--help") || words.includes("-h");
