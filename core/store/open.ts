/** Opens the database that everything else is kept in, and keeps it sound. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { deny, Fault } from "../contract/fault.ts";
import type { Store, Tables } from "../contract/store.ts";
import { backupFile } from "./backup.ts";
import { Connection, type ConnectionInput, databaseFile } from "./connection.ts";
import { mendOf, type Outage, storeFault } from "./fault.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { type FileLock, lockFile, type Owner } from "./lock.ts";
import { type Changing, migrate } from "./migrate.ts";
import { prepare, rowsOf, WriteQueue } from "./queue.ts";
import { createReader } from "./reader.ts";

export type { Owner } from "./lock.ts";

interface OpenStoreInput extends ConnectionInput {
	/** What is locked where the database is a server and has no file of its own: a path in a folder that one process may use. */
	readonly node?: string;
	readonly changing?: Changing | undefined;
}

export interface OpenStore {
	readonly store: Store;
	/** Applies what is missing, in the given order. Throws `Fault`, for the operator. */
	migrate(tables: readonly Tables[]): Promise<void>;
	/** Writes a whole copy to a file that does not exist yet. Throws `Fault`, for the operator. */
	backup(file: string): Promise<void>;
	/** Takes no more writes, finishes those it took, and lets the file go. */
	close(): Promise<void>;
	/** While the database cannot be read or written. */
	outage(): Outage | undefined;
	/** Tells other processes (the command line) where this one serves. */
	describe(info: { readonly address: string }): void;
}

/** Whether anything of Portico's is in the database. */
export const holdsTables = async ({ all }: Store): Promise<boolean> =>
	(await all(sql`SELECT 1 FROM sqlite_master WHERE name = 'portico_migrations'`)).length > 0;

/** How long another process that does not serve (a command) is waited for, milliseconds. */
const lockPatienceMs = 3000;

/** Opens the database, or says which process holds its file (or the node's folder). Throws `Fault` when it cannot be opened. */
export const openStore = async (input: OpenStoreInput): Promise<OpenStore | { readonly heldBy: Owner }> => {
	const file = databaseFile(input.url);
	const locked = file ?? input.node;
	const lock = locked === undefined ? undefined : await takeLock(locked);
	if (lock !== undefined && "heldBy" in lock) return lock;
	try {
		return await open(input, lock);
	} catch (error) {
		lock?.release();
		throw unusable(input.url, error, "nothing was written to it: ");
	}
};

/** For the operator: which database cannot be used, and why. Clients are never told. */
export const unusable = (url: string, error: unknown, assurance = ""): Fault => {
	const file = databaseFile(url);
	const name = file === undefined ? `server ${new URL(url).host}` : `file ${file}`;
	const fault = storeFault(error);
	const hint = damaged.test(fault.code)
		? `; ${assurance}put a backup in its place (portico db restore FILE)`
		: mendOf(fault);
	return new Fault(deny("internal", `the database ${name} cannot be used: ${fault.detail}${hint}`), error);
};

/** The file is not, or is no longer, a database. */
const damaged = /^SQLITE_(?:CORRUPT|NOTADB)/;

const takeLock = async (file: string): Promise<FileLock | { readonly heldBy: Owner }> => {
	for (let waitedMs = 0; ; waitedMs += 50) {
		const lock = lockFile(file);
		if (!("heldBy" in lock) || lock.heldBy.address !== undefined || waitedMs >= lockPatienceMs) return lock;
		await pause(50);
	}
};

const open = async (input: OpenStoreInput, lock: FileLock | undefined): Promise<OpenStore> => {
	const { clock, log } = input;
	const connection = await Connection.open(input);
	await connection.prepare();
	const queue = new WriteQueue(connection);
	const stopHeartbeat = startHeartbeat({ connection, queue, clock, log });
	const store: Store = {
		db: createReader(connection),
		shared: connection.file === undefined,
		async all(query) {
			const prepared = prepare(query);
			return rowsOf(await connection.run("read", () => connection.client.execute(prepared)));
		},
		timed(listen) {
			connection.heard = listen;
		},
		async write(statements) {
			return queue.write(statements.map(prepare));
		},
	};
	return {
		store,
		migrate: (tables) => migrate({ connection, clock, log, tables, changing: input.changing }),
		async backup(target) {
			if (connection.file === undefined)
				throw new Fault(
					deny(
						"unsupported",
						"a database server makes its own backups; while nothing serves, portico db export FILE makes a copy",
					),
				);
			await backupFile(connection.file, target);
		},
		async close() {
			stopHeartbeat();
			await queue.close();
			connection.close();
			lock?.release();
		},
		outage: () => connection.outage(),
		describe: (info) => lock?.describe(info),
	};
};
