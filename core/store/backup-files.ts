/** Backups in a folder: named by database and date, and how many of them stay. */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Seconds of universal time, in an order that sorts, without characters that some file systems refuse. */
export const stamp = (now: number): string => new Date(now).toISOString().slice(0, 19).replaceAll(":", "-").concat("Z");

const stemOf = (database: string): string => basename(database).replace(/\.db$/, "");

/** Where the backup of a database goes that is made now. */
export const backupPath = (folder: string, database: string, now: number): string =>
	join(folder, `${stemOf(database)}-${stamp(now)}.db`);

/**
 * Removes the oldest backups of this database but `keep`; what is called otherwise is never touched. Gives their paths. `made`: the
 * one that was made just now, which stays. One with a later date has it from a clock that was wrong: it goes before all others.
 */
export const pruneBackups = (folder: string, database: string, keep: number, made: string): readonly string[] => {
	const stem = stemOf(database);
	const newest = basename(made);
	const pattern = /^-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.db$/;
	const ours = readdirSync(folder).filter((name) => name.startsWith(stem) && pattern.test(name.slice(stem.length)));
	const byAge = ours.toSorted();
	const gone = [...byAge.filter((name) => name > newest), ...byAge.filter((name) => name <= newest)].slice(0, -keep);
	for (const name of gone) rmSync(join(folder, name));
	return gone.map((name) => join(folder, name));
};
