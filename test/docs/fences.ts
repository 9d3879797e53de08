/** The fenced blocks of the README and of `docs/`, and the commands in those of a shell. */
import { readdirSync, readFileSync } from "node:fs";

export interface Fence {
	readonly page: string;
	/** Where it begins, from 1. */
	readonly line: number;
	readonly language: string;
	readonly text: string;
}

const root = new URL("../../", import.meta.url);

export const docPages: readonly string[] = [
	"README.md",
	...readdirSync(new URL("docs", root))
		.filter((name) => name.endsWith(".md"))
		.map((name) => `docs/${name}`),
];

export const fencesOf = (page: string): readonly Fence[] => {
	const text = readFileSync(new URL(page, root), "utf8");
	return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: inside = "", index }) => ({
		page,
		line: text.slice(0, index).split("\n").length,
		language,
		text: inside,
	}));
};

/** The commands of a shell's block, without comments; a line that ends in a backslash goes on in the next. */
export const commandsIn = ({ text }: Fence): readonly string[] =>
	text
		.replace(/\\\n\s*/g, "")
		.split("\n")
		.map((line) => line.replace(/(^|\s)#.*$/, "").trim())
		.filter((line) => line !== "");
