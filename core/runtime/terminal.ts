/** What a person at a terminal sees of a command beside its answer. Elsewhere nothing of it is written but what is said. */
import { writeSync } from "node:fs";
import process from "node:process";

const standardError = 2;

/** How many columns the terminal has that the answer goes to; undefined where it goes elsewhere. */
export const terminalWidth = (): number | undefined =>
	process.stdout.isTTY ? process.stdout.columns || undefined : undefined;

/** What a terminal obeys rather than shows, line ends and tabs excepted: in names, models and upstreams' words it is others' doing. */
const commands = /(?!\r?\n|\t)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

export const harmless = (text: string): string => text.replace(commands, "�");

const clearLine = "\r\u001b[K";

/** Says a line beside the answer. `console.error` would paint all of it red on Bun, whatever it says. */
export const say = (line: string): void => {
	writeSync(standardError, `${process.stderr.isTTY ? clearLine : ""}${harmless(line)}\n`);
};

/** Shows a line in the place of the one that was shown before; nothing where no terminal is. */
export const showPassing = (line: string): void => {
	if (process.stderr.isTTY) writeSync(standardError, clearLine + line.slice(0, (process.stderr.columns || 80) - 1));
};

/** Shows what is waited for, and for how many seconds, until it has come. */
export const showWaiting = async <T>(what: string, work: Promise<T>): Promise<T> => {
	const began = performance.now();
	showPassing(`${what} …`);
	const ticks = setInterval(() => showPassing(`${what} … ${Math.round((performance.now() - began) / 1000)} s`), 1000);
	try {
		return await work;
	} finally {
		clearInterval(ticks);
		showPassing("");
	}
};
