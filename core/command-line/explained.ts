/** What `--help` shows of a command: what it does, and then how it is called. */
export const explained = ({ summary, usage }: { readonly summary: string; readonly usage: string }): string =>
	`${summary}\n\n${usage}`;

/** Whether the words of a command ask for that. */
export const asksForHelp = (words: readonly string[]): boolean => words.includes("--help") || words.includes("-h");
