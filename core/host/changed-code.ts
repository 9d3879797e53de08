/** Whether the code of a plugin was changed since this process loaded it: the runtime keeps what it has, mistakes too. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** By the file of a module. */
const loadedAt = new Map<string, number>();

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isCode = (name: string): boolean => /(?<!\.test)\.[mc]?[jt]s$/.test(name);

/** When the newest was written of the files that belong to it: of an `index` those that stand beside it. */
const writtenAt = (file: string): number => {
	if (!basename(file).startsWith("index.")) return timeOf(file);
	const folder = dirname(file);
	return Math.max(
		...readdirSync(folder)
			.filter(isCode)
			.map((name) => timeOf(join(folder, name))),
	);
};

/** Called before a module is imported. */
export const noteLoad = (file: string): void => {
	if (!loadedAt.has(file)) loadedAt.set(file, writtenAt(file));
};

/** Called where the runtime keeps nothing of what it failed to load. */
export const forgetLoad = (file: string): void => void loadedAt.delete(file);

/** Whether its files are others than when it was first loaded. */
export const isChanged = (file: string): boolean => {
	const before = loadedAt.get(file);
	return before !== undefined && writtenAt(file) !== before;
};
