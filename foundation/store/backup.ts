/** A whole copy of a database file, taken while it is in use. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { deny, Fault } from "../fault.ts";

/**
 * Any process may call it, the one that holds the lock or another: it only reads. `target` appears whole or not at all.
 * Blocks while it copies. Throws `Fault`, for the operator.
 */
export const backupFile = (source: string, target: string): void => {
	if (!existsSync(source)) throw new Fault(deny("not_found", `there is no database file ${source}`));
	if (existsSync(target)) throw new Fault(deny("conflict", `${target} exists already; name a new file`));
	mkdirSync(dirname(target), { recursive: true });
	const partial = `${target}.partial`;
	rmSync(partial, { force: true });
	const database = new Database(source, { timeout: 5000 });
	try {
		database.prepare("VACUUM INTO ?").run(partial);
		const copy = openSync(partial, "r+");
		fsyncSync(copy);
		closeSync(copy);
		chmodSync(partial, 0o600);
		renameSync(partial, target);
	} catch (error) {
		rmSync(partial, { force: true });
		const reason = error instanceof Error ? error.message : "no reason was given";
		throw new Fault(deny("internal", `the backup to ${target} failed: ${reason}`), error);
	} finally {
		database.close();
	}
};
