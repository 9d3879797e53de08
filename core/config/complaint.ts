/** What is wrong with a config file, each with the line and column of the node that is at fault. */

/** One-based, as editors count. */
export interface Position {
	readonly line: number;
	readonly column: number;
}

/** `where` names the setting (`plugins[2] quota → reserv`, `server.port`) and is empty when the file itself is at fault. */
export interface Complaint extends Position {
	readonly where: string;
	readonly message: string;
}

/** Keys and indexes from a root down to one node. */
export type Path = readonly (string | number)[];

/** Where a value stands and what is known of it from the file. */
interface Spot extends Position {
	readonly key: Position;
	/** The text before `${…}` in it was expanded. */
	readonly template: string | undefined;
	/** True when the value could not be made out and was complained of already. */
	readonly failed: boolean;
	/** What a reference in it lacks, for which something else stands in. */
	readonly missing?: string | undefined;
}

/** Finds the spot of a node; for one that is not in the file, that of its nearest ancestor. */
export type Place = (path: Path) => Spot;

/** One line, as the command line prints it; `file` is named as the operator gave it. */
export const formatComplaint = (file: string, { line, column, where, message }: Complaint): string =>
	`${file}:${line}:${column} ${where === "" ? "" : `${where}: `}${message}`;

/** `plugins[2] quota → upstreams[0].key`; keys that are not plain words are quoted. */
export const whereText = (label: string, path: Path): string => {
	const step = (key: string | number): string => {
		if (typeof key === "number") return `[${key}]`;
		return /^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
	};
	const steps = path.map(step).join("").replace(/^\./, "");
	return label === "" || steps === "" ? label + steps : `${label} → ${steps}`;
};

/** ` (did you mean "reserve"?)` for the option nearest to `word`, or nothing when none is near. */
export const didYouMean = (word: string, options: readonly unknown[]): string => {
	let [least, nearest] = [Math.min(3, Math.floor((word.length + 1) / 3)) + 1, ""];
	for (const option of options) {
		const edits = typeof option === "string" ? editsBetween(word.toLowerCase(), option.toLowerCase()) : least;
		if (edits < least) [least, nearest] = [edits, ` (did you mean ${JSON.stringify(option)}?)`];
	}
	return nearest;
};

/** What follows the refusal of a key: the nearest of those there are, or all of them. */
export const whatThereIs = (key: string, all: readonly string[]): string =>
	didYouMean(key, all) || (all.length > 0 ? ` (there are: ${all.join(", ")})` : "");

/** Levenshtein's distance, a swap of neighbours counted once. */
const editsBetween = (one: string, other: string): number => {
	let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, column) => column)];
	for (let row = 1; row <= one.length; row++) {
		const next = [row];
		for (let column = 1; column <= other.length; column++) {
			const changed = one[row - 1] === other[column - 1] ? 0 : 1;
			const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
			const ways = [(last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + changed];
			next[column] = Math.min(...ways, swapped ? (before[column - 2] ?? 0) + 1 : one.length + other.length);
		}
		[before, last] = [last, next];
	}
	return last[other.length] ?? 0;
};
