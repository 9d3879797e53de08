/** Closes a data folder to the other users of this machine, whoever made it and however long ago. */
import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { cwd } from "node:process";
import type { Log } from "../contract/log.ts";
import { describe } from "../errors/describe.ts";

const ownersAlone = 0o700;
const shared = 0o1000;
const setsGroup = 0o2000;
const othersWrite = 0o002;

/** What SQLite and the lock put beside a database file. */
const databaseEndings = ["", "-wal", "-shm", "-journal", ".lock", ".owner"];

/** What there was to close: nothing, or what was closed, or what is open and another user's, who alone may close it. */
type Found = "closed already" | "closed" | "another's";

/** Links are not followed. */
const tighten = (path: string): Found => {
	const found = lstatSync(path);
	const open = (found.mode & 0o777 & ~ownersAlone) !== 0;
	if (!open || !(found.isFile() || found.isDirectory())) return "closed already";
	try {
		chmodSync(path, found.mode & ownersAlone);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EPERM") return "another's";
		throw error;
	}
	return "closed";
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

/** How many were closed, and what is open and another user's. */
interface Tightened {
	readonly closed: number;
	readonly others: readonly string[];
}

const tightenAll = (paths: readonly string[]): Tightened => {
	const found = paths.map((path) => ({ path, found: tighten(path) }));
	return {
		closed: found.filter((one) => one.found === "closed").length,
		others: found.flatMap((one) => (one.found === "another's" ? [one.path] : [])),
	};
};

/** Everything in a folder that was open until now; in another only what lies in it directly, for files may be many. */
const tightenFolder = (folder: string): Tightened => {
	const itself = tightenAll([folder]);
	const names = readdirSync(folder, { recursive: itself.closed > 0, encoding: "utf8" });
	const within = tightenAll(names.map((name) => join(folder, name)));
	return { closed: itself.closed + within.closed, others: [...itself.others, ...within.others] };
};

/** A volume that its owner gives to this user by a group (`fsGroup` of Kubernetes): whom else it lets in is for that owner to say. */
const isGiven = (path: string): boolean => {
	const { mode } = lstatSync(path);
	return (mode & setsGroup) !== 0 && (mode & othersWrite) === 0;
};

/** Tells the operator once when something was open to others, or could not be closed. */
export const tightenFiles = (dataFolder: string, database: string | undefined, log: Log): void => {
	const file = database === undefined ? undefined : resolve(database);
	const folders = new Set([resolve(dataFolder), ...(file !== undefined && existsSync(file) ? [dirname(file)] : [])]);
	const files = file === undefined ? [] : databaseEndings.map((ending) => file + ending).filter(existsSync);
	try {
		const found = [tightenAll(files), ...[...folders].filter(isOurs).map(tightenFolder)];
		const tightened = found.reduce((sum, { closed }) => sum + closed, 0);
		const others = new Set(found.flatMap((one) => one.others));
		const given = [...folders].filter((folder) => others.has(folder) && isGiven(folder));
		for (const folder of given)
			log.info("the data folder is another user's, who gives it by a group; the files in it are closed to others", {
				folder,
			});
		const open = [...others].filter((path) => !given.includes(path));
		if (open.length > 0)
			log.warn(
				"some of the data folder is open to other users of this machine, and another user's, who alone can close it",
				{ folder: dataFolder, open: open.slice(0, 5).join(", "), closed: tightened },
			);
		// What lies in a given one is opened by whoever gives it, at each start.
		else if (tightened > 0 && given.length === 0)
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
