/** Closes a data folder to the other users of this machine, whoever made it and however long ago. */
import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { cwd } from "node:process";
import type { Log } from "../contract/log.ts";
import { describe } from "../errors/describe.ts";

const ownersAlone = 0o700;
const shared = 0o1000;

/** What SQLite and the lock put beside a database file. */
const databaseEndings = ["", "-wal", "-shm", "-journal", ".lock", ".owner"];

/** True when it was open to others and is not any more. Links are not followed. */
const tighten = (path: string): boolean => {
	const found = lstatSync(path);
	const open = (found.mode & 0o777 & ~ownersAlone) !== 0;
	if (!open || !(found.isFile() || found.isDirectory())) return false;
	chmodSync(path, found.mode & ownersAlone);
	return true;
};

/** The home of whoever runs this; a user that systemd makes up for a service (`DynamicUser`) has none, and asking throws. */
const home = (): string | undefined => {
	try {
		return homedir();
	} catch {
		return undefined;
	}
};

/** A home, a project that is worked in, or a place for everybody such as `/tmp` is not Portico's to close. */
const isOurs = (folder: string): boolean =>
	folder !== home() && relative(folder, cwd()).startsWith("..") && (lstatSync(folder).mode & shared) === 0;

/** Everything in a folder of our own; in one that others can not enter only what lies in it directly, for files may be many. */
const tightenFolder = (folder: string): number => {
	const loose = tighten(folder);
	const names = readdirSync(folder, { recursive: loose, encoding: "utf8" });
	return names.filter((name) => tighten(join(folder, name))).length + (loose ? 1 : 0);
};

const tightenDatabase = (file: string): number =>
	databaseEndings.map((ending) => file + ending).filter((path) => existsSync(path) && tighten(path)).length;

/** Tells the operator once when something was open to others, or could not be closed. */
export const tightenFiles = (dataFolder: string, database: string | undefined, log: Log): void => {
	const file = database === undefined ? undefined : resolve(database);
	const folders = new Set([resolve(dataFolder), ...(file !== undefined && existsSync(file) ? [dirname(file)] : [])]);
	try {
		let tightened = file === undefined ? 0 : tightenDatabase(file);
		for (const folder of folders) if (isOurs(folder)) tightened += tightenFolder(folder);
		if (tightened > 0)
			log.warn("the data folder was open to other users of this machine; now it is its owner's alone", {
				folder: dataFolder,
				tightened,
			});
	} catch (error) {
		log.warn("the data folder could not be closed to other users of this machine; see to it that it is", {
			folder: dataFolder,
			error: describe(error),
		});
	}
};
