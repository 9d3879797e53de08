/**
 * A database file belongs to one process. The lock is an open exclusive transaction on a file beside it: the kernel
 * keeps it and drops it with the process, however that ends. A second file says who holds it, for messages and for the
 * command line, and is believed only while the lock is held.
 */
import {
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { pid } from "node:process";
import Database from "libsql";
import { deny, Fault } from "../contract/fault.ts";
import { describe } from "../errors/describe.ts";
import { asCount, asRecord, asText, parseJson } from "../neutral/json.ts";
import { giveToOwnerOf } from "./owner.ts";

/** Who holds a database file. */
export interface Owner {
	/** 0 when it has not said yet. */
	readonly pid: number;
	/** Where it serves, once it does. */
	readonly address?: string;
}

export interface FileLock {
	/** Tells other processes where this one serves. */
	describe(info: { readonly address: string }): void;
	release(): void;
}

const unlockable = (path: string, error: unknown): Fault =>
	new Fault(deny("conflict", `${path} cannot be locked for this process: ${describe(error)}`), error);

/** There is no room on the disk. */
const isFull = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOSPC";

const open = (file: string): Database.Database => {
	try {
		return new Database(file, { timeout: 0 });
	} catch (error) {
		throw unlockable(file, error);
	}
};

/** Undefined while another process has it. */
const claim = (target: string): Database.Database | undefined => {
	const lock = open(`${target}.lock`);
	try {
		// It is never committed: without a journal it needs no room, so that a full disk hinders no backup to another one.
		lock.exec("PRAGMA journal_mode = MEMORY");
		lock.exec("BEGIN EXCLUSIVE");
		return lock;
	} catch (error) {
		lock.close();
		if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;
		throw unlockable(target, error);
	}
};

const targetOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Who has the lock of a file now, where any process has. Neither makes a file nor changes what a process left that was killed. */
export const holderOf = (path: string): Owner | undefined => {
	const target = targetOf(path);
	if (!existsSync(`${target}.lock`)) return undefined;
	const lock = claim(target);
	if (lock === undefined) return readOwner(`${target}.owner`);
	lock.close();
	return undefined;
};

/** Takes the lock of a database file, whose folder is made if need be, or says at once who has it. */
export const lockFile = (path: string): FileLock | { readonly heldBy: Owner } => {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const target = targetOf(path);
	const ownerFile = `${target}.owner`;
	const lock = claim(target);
	if (lock === undefined) return { heldBy: readOwner(ownerFile) };
	giveToOwnerOf(dirname(target), `${target}.lock`);
	const write = (owner: Owner): void => {
		try {
			writeFileSync(`${ownerFile}.new`, JSON.stringify(owner), { mode: 0o600 });
			renameSync(`${ownerFile}.new`, ownerFile);
		} catch (error) {
			if (!isFull(error)) {
				lock.close();
				throw unlockable(target, error);
			}
			rmSync(`${ownerFile}.new`, { force: true });
			// The lock holds all the same; only who held it before must not be believed to hold it now.
			if (existsSync(ownerFile)) truncateSync(ownerFile);
		}
	};
	write({ pid });
	return {
		describe: ({ address }) => write({ pid, address }),
		release() {
			if (!lock.open) return;
			rmSync(ownerFile, { force: true });
			lock.close();
		},
	};
};

const readOwner = (file: string): Owner => {
	const known = existsSync(file) ? asRecord(parseJson(readFileSync(file, "utf8"))) : {};
	const address = asText(known["address"]);
	return { pid: asCount(known["pid"]) ?? 0, ...(address !== undefined && { address }) };
};
