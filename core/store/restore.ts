/** Puts a backup in the place of a database file. The old one stays beside it under a new name, with its log. */
import {
	chmodSync,
	closeSync,
	copyFileSync,
	existsSync,
	fsyncSync,
	linkSync,
	openSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { deny, Fault } from "../contract/fault.ts";
import type { Tables } from "../contract/store.ts";
import { describe } from "../errors/describe.ts";
import { asRecord } from "../neutral/json.ts";
import { chooseBackup, stamp } from "./backup-files.ts";
import { lockFile } from "./lock.ts";
import { type AppliedMigration, refuseNewer } from "./newer.ts";
import { giveToOwnerOf } from "./owner.ts";

interface RestoreInput {
	readonly backup: string;
	readonly database: string;
	/** What this Portico knows of tables. */
	readonly tables: readonly Tables[];
	readonly now: number;
}

const refuse = (message: string, cause?: unknown): never => {
	throw new Fault(deny("conflict", message), cause);
};

/** A database's write-ahead log and its index: they belong to the file of that name, and are read with whatever stands there. */
const companions = ["-wal", "-shm"] as const;

const removeAll = (file: string): void => {
	for (const suffix of ["", ...companions]) rmSync(file + suffix, { force: true });
};

const withDatabase = <T>(file: string, read: (database: InstanceType<typeof Database>) => T): T => {
	const database = new Database(file, { timeout: 0 });
	try {
		return read(database);
	} finally {
		database.close();
	}
};

/**
 * Throws `Fault` when it is damaged, no database of Portico's, or of a newer one. Afterwards plugins have let go of what
 * processes held when it was made, and what its log holds is in the file.
 */
const prepare = (copy: string, named: string, tables: readonly Tables[]): void => {
	let applied: readonly AppliedMigration[] = [];
	try {
		applied = withDatabase(copy, (database) => {
			const [row] = database.prepare("PRAGMA integrity_check(1)").all();
			const verdict = Object.values(asRecord(row))[0];
			if (verdict !== "ok") throw new Error(`it is damaged: ${String(verdict).replace(/\s+/g, " ")}`);
			const mark = database.prepare("SELECT name FROM sqlite_master WHERE name = 'portico_migrations'").all();
			if (mark.length === 0) throw new Error("it holds none of Portico's tables");
			database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
			const rows = database.prepare("SELECT plugin, name FROM portico_migrations").all();
			return rows.map(asRecord).map(({ plugin, name }) => ({ plugin: String(plugin), name: String(name) }));
		});
	} catch (error) {
		const reason = error instanceof Error ? error.message : "no reason was given";
		refuse(`${named} is no backup that can be restored (${reason}). Nothing was changed.`, error);
	}
	refuseNewer(named, applied, tables);
	const made = new Set(applied.map(({ plugin }) => plugin));
	withDatabase(copy, (database) => {
		for (const { plugin, restored = [] } of tables)
			if (made.has(plugin)) for (const statement of restored) database.exec(statement);
		database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
	});
};

/** What the log holds goes into the file where that can still be done; one that cannot is kept with its log as it is. */
const settle = (file: string): void => {
	try {
		withDatabase(file, (database) => database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all());
	} catch {
		// It is damaged, which may be why a backup is put in its place.
	}
};

/** A second name for the same file, or where the file system has none, another name. */
const alsoCalled = (file: string, name: string): void => {
	try {
		linkSync(file, name);
	} catch {
		renameSync(file, name);
	}
};

/**
 * Gives the old one its new names, so that the file itself can be replaced in one step. A log whose file is gone goes too:
 * it would be read with the backup, as if it were its own.
 */
const putAside = (target: string, now: number): string | undefined => {
	const aside = `${target}.before-restore-${stamp(now)}`;
	const suffixes = ["", ...companions];
	if (suffixes.some((suffix) => existsSync(aside + suffix))) refuse(`${aside} exists already; wait a second`);
	const isThere = existsSync(target);
	if (isThere) settle(target);
	const left = suffixes.filter((suffix) => existsSync(target + suffix));
	for (const suffix of left) if (suffix !== "") renameSync(target + suffix, aside + suffix);
	if (isThere) alsoCalled(target, aside);
	return left[0] === undefined ? undefined : aside + left[0];
};

const copy = (backup: string, incoming: string): void => {
	try {
		copyFileSync(backup, incoming);
		// A copy that was made by hand while the database was in use has a log of its own.
		if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${incoming}-wal`);
	} catch (error) {
		refuse(`${backup} cannot be copied to where the database is: ${describe(error)}. Nothing was changed.`, error);
	}
};

const flush = (file: string): void => {
	const handle = openSync(file, "r+");
	fsyncSync(handle);
	closeSync(handle);
};

const statOf = (backup: string) => {
	try {
		return statSync(backup, { throwIfNoEntry: false });
	} catch (error) {
		return refuse(`${backup} cannot be read: ${describe(error)}. Nothing was changed.`, error);
	}
};

/**
 * Gives the new path of the old database, or of its log where only that was left. Throws `Fault`, for the operator, when
 * another process has the database open or the backup is none; then nothing is changed.
 */
export const restoreFile = ({ backup, database, tables, now }: RestoreInput): { readonly aside?: string } => {
	const found = statOf(backup);
	if (found?.isDirectory()) refuse(`${chooseBackup(backup, database)}. Nothing was changed.`);
	if (!found?.isFile()) refuse(`there is no file ${backup}. Nothing was changed.`);
	const lock = lockFile(database);
	if ("heldBy" in lock) {
		const { pid, address } = lock.heldBy;
		const where = address === undefined ? "" : `, which serves at ${address}`;
		return refuse(`the database ${database} is in use by process ${pid}${where}. Stop it first; nothing was changed.`);
	}
	const target = existsSync(database) ? realpathSync(database) : database;
	const incoming = `${target}.restoring`;
	try {
		if (existsSync(database) && realpathSync(backup) === target)
			refuse(`${backup} is the database itself. Nothing was changed.`);
		removeAll(incoming);
		copy(backup, incoming);
		prepare(incoming, backup, tables);
		chmodSync(incoming, 0o600);
		giveToOwnerOf(existsSync(target) ? target : dirname(target), incoming);
		flush(incoming);
		const aside = putAside(target, now);
		for (const suffix of companions) rmSync(incoming + suffix, { force: true });
		renameSync(incoming, target);
		return aside === undefined ? {} : { aside };
	} finally {
		removeAll(incoming);
		lock.release();
	}
};
