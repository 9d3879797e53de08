/** Backups in a folder: named by database and date, and how many of them stay. */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Seconds of universal time, in an order that sorts, without characters that some file systems refuse. */
export const stamp = (now: number): string => new Date(now).toISOString().slice(0, 19).replaceAll(":", "-").concat("Z");

const stemOf = (database: string): string => basename(database).replace(/\.db$/, "");

/** Where the backup of a database goes that is made now. */
export const backupPath = (folder: string, database: string, now: number): string =>
	join(folder, `${stemOf(database)}-${stamp(now)}.db`);

/** Names of the backups of this database that a folder holds, the oldest first; what is called otherwise is none. */
const backupsIn = (folder: string, database: string): readonly string[] => {
	const stem = stemOf(database);
	const pattern = /^-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/;
	return readdirSync(folder)
		.filter((name) => name.startsWith(stem) && pattern.test(name.slice(stem.length)))
		.toSorted();
};

/** What an operator is told who named a folder where one backup of it was meant. */
export const chooseBackup = (folder: string, database: string): string => {
	const [newest, ...older] = backupsIn(folder, database).toReversed();
	if (newest === undefined) return `${folder} is a folder, and holds no backup of ${basename(database)}; name a file`;
	const others = older.length === 0 ? "the only one" : `the newest of ${older.length + 1}`;
	return `${folder} is a folder: name the backup in it, such as ${join(folder, newest)} (${others})`;
};

/**
 * Removes the oldest backups of this database but `keep`; what is called otherwise is never touched. Gives their paths. `made`: the
 * one that was made just now, which stays. One with a later date has it from a clock that was wrong: it goes before all others.
 */
export const pruneBackups = (folder: string, database: string, keep: number, made: string): readonly string[] => {
	const newest = basename(made);
	const byAge = backupsIn(folder, database);
	const gone = [...byAge.filter((name) => name > newest), ...byAge.filter((name) => name <= newest)].slice(0, -keep);
	for (const name of gone) rmSync(join(folder, name));
	return gone.map((name) => join(folder, name));
};
