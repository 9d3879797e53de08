/**
 * Which file of a folder is its module, by its `package.json`. The runtimes answer that only for packages beside the file
 * that asks, or else as for `require`, which is another file where a package has both.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { asList, asRecord, asText, isRecord, parseJson } from "../neutral/json.ts";

const conditions: ReadonlySet<string> = new Set([
	"import",
	"module-sync",
	"node",
	"default",
	process.versions["deno"] === undefined ? "bun" : "deno",
]);

/** The file that a target of `exports` names for this runtime. */
const chosen = (target: unknown): string | undefined => {
	if (typeof target === "string") return target;
	const choices = Array.isArray(target)
		? asList(target)
		: Object.entries(asRecord(target)).flatMap(([condition, inner]) => (conditions.has(condition) ? [inner] : []));
	for (const choice of choices) {
		const found = chosen(choice);
		if (found !== undefined) return found;
	}
	return undefined;
};

/** What `exports` has for `.` or `./part`. The longest of several patterns counts. */
const exported = (exports: unknown, part: string): string | undefined => {
	const isTable = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
	const table = isTable ? exports : { ".": exports };
	if (Object.hasOwn(table, part)) return chosen(table[part]);
	for (const pattern of Object.keys(table).toSorted((a, b) => b.length - a.length)) {
		const [before = "", after] = pattern.split("*");
		if (after === undefined || !part.startsWith(before) || !part.endsWith(after)) continue;
		const within = part.slice(before.length, part.length - after.length);
		return chosen(table[pattern])?.replaceAll("*", within);
	}
	return undefined;
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The files that a name may mean where there are no `exports`. */
const meant = (name: string): readonly string[] =>
	["", ".ts", ".js", "/index.ts", "/index.js", "/index.mjs"].map((ending) => name + ending);

/**
 * The file of a folder's module, or of one of its modules (`./part`); else why there is none, in words that follow the
 * folder's name.
 */
export const entryOf = (folder: string, part = "."): { readonly file: string } | { readonly wrong: string } => {
	const description = join(folder, "package.json");
	const { exports, main } = existsSync(description) ? asRecord(parseJson(readFileSync(description, "utf8"))) : {};
	const named = exports === undefined ? (part === "." && asText(main)) || part : exported(exports, part);
	if (named === undefined) return { wrong: `has a package.json that exports no module as "${part}"` };
	const names = exports === undefined ? [...meant(named), ...meant(part)] : [named];
	const file = names.map((name) => join(folder, name)).find(isFile);
	if (file !== undefined) return { file };
	return { wrong: named === "." ? "has no index.ts or index.js" : `has no ${named}; was it built?` };
};
