/** Patterns as the config has them, made fit to run over anybody's text: no run is endless, nothing tries every way twice. */

/** How long a run of `+` or `*` may get. An endless one costs the square of a long text. */
const longestRun = 1024;

/** How many places for a match to begin are tried at once: each may cost as much as the pattern's runs are long. */
export const startsAtOnce = 2048;

export interface Pattern {
	readonly name: string;
	/** Finds the first match that begins within so many characters behind `lastIndex`; the match is its first group. */
	readonly expression: RegExp;
}

/** One piece of a pattern: `[…]`, an escape, a group's bracket, a repetition or a character. */
const piece = /\[(?:\\.|[^\]\\])*\]|\\.|\((?:\?(?::|=|!|<[=!]|<\w+>))?|\)|\{\d+(?:,\d*)?\}|[*+?]\??|\||./gsu;

const isRepetition = (text: string): boolean => /^(?:[*+?]|\{\d)/.test(text);
/** Whether it may match in more than one length. */
const varies = (text: string): boolean => isRepetition(text) && !/^\{\d+\}$/.test(text);

const bounded = (text: string): string => {
	const lazy = text.length > 1 && text.endsWith("?") && !text.startsWith("{") ? "?" : "";
	if (text.startsWith("+")) return `{1,${longestRun}}${lazy}`;
	if (text.startsWith("*")) return `{0,${longestRun}}${lazy}`;
	return text.replace(/^\{(\d+),\}/, (_, least: string) => `{${least},${Math.max(longestRun, Number(least))}}`);
};

const refuse = (name: string, why: string): never => {
	throw new TypeError(`The pattern "${name}" ${why}`);
};

const compile = (name: string, source: string): RegExp => {
	try {
		return new RegExp(source, "u");
	} catch {
		try {
			// Older patterns escape what Unicode ones may not.
			return new RegExp(source);
		} catch (error) {
			return refuse(name, `is no regular expression: ${error instanceof Error ? error.message : "it cannot be read"}.`);
		}
	}
};

/** Reads a pattern piece by piece, and knows of each group whether it can match in several ways. */
class Reader {
	source = "";
	private readonly open: boolean[] = [false];
	/** The group that has just closed can match in several ways. */
	private closed = false;
	private readonly name: string;

	constructor(name: string) {
		this.name = name;
	}

	take(text: string): void {
		if (/^\\[1-9k]/.test(text)) refuse(this.name, "refers back to a group; write out what is meant.");
		if (this.closed && isRepetition(text) && !text.startsWith("?"))
			refuse(this.name, "repeats a group that can match in several ways; write it out.");
		this.closed = text === ")" && this.open.pop() === true;
		if (text.startsWith("(")) this.open.push(false);
		else if (this.closed || text === "|" || varies(text)) this.open[this.open.length - 1] = true;
		this.source += bounded(text);
	}
}

/** Throws `TypeError` for a pattern that is none, or that could keep the gateway busy for ever. */
export const readPattern = (name: string, pattern: string): Pattern => {
	const reader = new Reader(name);
	for (const [text] of pattern.matchAll(piece)) reader.take(text);
	const { source, flags } = compile(name, reader.source);
	const expression = new RegExp(`[^]{0,${startsAtOnce - 1}}?(${source})`, `${flags}y`);
	if (expression.test("")) refuse(name, "matches nothing at all; let it match one character at least.");
	return { name, expression };
};
