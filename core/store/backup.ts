/** A whole copy of a database file, taken while it is in use. */
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { deny, Fault } from "../contract/fault.ts";

/** A large file takes many seconds, in which calls go on: so a thread of its own copies it. */
const copyAside = async (source: string, copy: string): Promise<void> => {
	const { Worker } = await import("node:worker_threads");
	await new Promise<void>((resolve, reject) => {
		const thread = new Worker(new URL("./copy-thread.ts", import.meta.url), { workerData: { source, copy } });
		thread.once("message", (reason) => (reason === "" ? resolve() : reject(new Error(String(reason)))));
		thread.once("error", reject);
		thread.once("exit", (code) => reject(new Error(`its thread ended with ${code}`)));
	});
};

/**
 * Any process may call it, the one that holds the lock or another: it only reads. `target` appears whole or not at all.
 * Throws `Fault`, for the operator.
 */
export const backupFile = async (source: string, target: string): Promise<void> => {
	if (!existsSync(source)) throw new Fault(deny("not_found", `there is no database file ${source}`));
	if (existsSync(target)) throw new Fault(deny("conflict", `${target} exists already; name a new file`));
	// One that is made here would be on the wrong disk, where that of the backups is not mounted.
	if (!existsSync(dirname(target))) {
		const advice = "mount the disk it is on, or make it; only backups/ in the data folder is made by itself";
		throw new Fault(deny("conflict", `there is no folder ${dirname(target)}: ${advice}`));
	}
	const partial = `${target}.partial`;
	rmSync(partial, { force: true });
	try {
		await copyAside(source, partial);
		chmodSync(partial, 0o600);
		renameSync(partial, target);
	} catch (error) {
		rmSync(partial, { force: true });
		const reason = error instanceof Error ? error.message : "no reason was given";
		throw new Fault(deny("internal", `the backup to ${target} failed: ${reason}`), error);
	}
};
