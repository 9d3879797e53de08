/** Opens everything a command or the server needs: config, lock, store, plugins. */

import { deny, Fault } from "../contract/fault.ts";
import type { Workers } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { baseFolder } from "../host/absolute-paths.ts";
import { type Blueprint, type BlueprintInput, readBlueprint } from "../host/blueprint.ts";
import { lentServices } from "../host/build.ts";
import {
	adminToken,
	checkAdminToken,
	leftJournals,
	leftProcesses,
	makeDataFolder,
	nodeLock,
	nodeName,
	workerFolder,
} from "../host/node-files.ts";
import { Portico } from "../host/portico.ts";
import { tightenFiles } from "../host/tighten-files.ts";
import { createLog, type LogFormat, type LogLevel } from "../runtime/log.ts";
import { makeFilesPrivate, tellStarter } from "../runtime/system.ts";
import { databaseFile } from "../store/connection.ts";
import type { Changing } from "../store/migrate.ts";
import { holdsTables, type OpenStore, type Owner, openStore, unusable } from "../store/open.ts";
import { systemClock } from "../wire/system-clock.ts";
import { openOwnDatabase } from "./own-database.ts";
import type { DatabasePlace, Invocation } from "./settings.ts";
import { standardConfig } from "./standard-config.ts";

/** Portico's version, shown by `portico version` and `GET /`. */
export const version = "0.1.0";

/** What a blueprint is read of, for this invocation. */
export const readingOf = ({ file, builtIn, environment, port }: Invocation): BlueprintInput => ({
	file,
	environment,
	lent: lentServices,
	fallback: builtIn && standardConfig(),
	...(port !== undefined && { port }),
});

/** The folder of files that are not in the database. */
export const dataFolderOf = ({ config, file }: Blueprint): string => config.server.dataFolder ?? baseFolder(file);

/** The blueprint of the config file. Throws `Fault` with every complaint, a line each. */
export const blueprintOf = async (invocation: Invocation, withoutSecrets = false): Promise<Blueprint> => {
	const { blueprint, complaints } = await readBlueprint({ ...readingOf(invocation), withoutSecrets });
	if (!blueprint) throw new Fault(deny("invalid_request", complaints.join("\n")));
	return blueprint;
};

export interface Opened {
	readonly portico: Portico;
	readonly store: OpenStore;
	readonly blueprint: Blueprint;
	/** The database server that this process, or the one that looks after it, has started. */
	readonly database: DatabasePlace | undefined;
	readonly dataFolder: string;
	readonly log: Log;
	close(): Promise<void>;
}

interface OpenOptions {
	readonly logOf?: (level: LogLevel, format: LogFormat | undefined) => Log;
	/** Where this process is one of several. */
	readonly workers?: Workers;
	readonly changing?: Changing;
}

const withoutOwn = { database: undefined, describe: () => undefined, close: async () => undefined };

/** What the database said, whatever a plugin made of it for its clients. */
const storeFaultIn = (error: unknown): StoreFault | undefined => {
	let cause = error;
	while (cause instanceof Error && !(cause instanceof StoreFault)) cause = cause.cause;
	return cause instanceof StoreFault ? cause : undefined;
};

/**
 * A server that was started without its files is not begun anew: what the journal tells would be charged there, and be lost
 * once the server has its files again.
 */
const refuseEmpty = async ({ store }: OpenStore, folder: string): Promise<void> => {
	const [journal] = store.shared ? leftJournals(folder) : [];
	if (journal === undefined || (await holdsTables(store))) return;
	const advice =
		"Start the server on its own files; where those are lost, remove the journal, and Portico begins anew.";
	const message = `the database server is empty, and ${journal} tells of calls that are to be charged in what it held. ${advice}`;
	throw new Fault(deny("conflict", message));
};

interface OpenedDatabase {
	readonly store: OpenStore;
	/** The server that this process has started, or was told of. */
	readonly place: DatabasePlace | undefined;
	readonly url: string;
}

/** The database, by a server of its own where the file was taken over by one: closing the store ends that too. */
export const openDatabase = async (
	given: DatabasePlace | undefined,
	input: Parameters<typeof openStore>[0],
): Promise<OpenedDatabase | { readonly heldBy: Owner }> => {
	const server = given ? undefined : await openOwnDatabase(input);
	if (server && "heldBy" in server) return server;
	const { describe, close, ...started } = server ?? withoutOwn;
	const place = given ?? started.database;
	const there = { ...input, ...place };
	const opened = await openStore(there).catch(async (error) => {
		await close();
		throw error;
	});
	if ("heldBy" in opened) {
		await close();
		return opened;
	}
	const store: OpenStore = {
		...opened,
		describe(info) {
			opened.describe(info);
			describe(info);
		},
		async close() {
			await opened.close();
			await close();
		},
	};
	return { store, place, url: there.url };
};

/** Opens the store (and holds its lock) and starts the plugins. Throws `Fault`; `held` is called when another process has what this one needs. */
export const openGateway = async (
	invocation: Invocation,
	serving: boolean,
	held: (owner: Owner) => never,
	{ logOf, workers, changing }: OpenOptions = {},
): Promise<Opened> => {
	const blueprint = await blueprintOf(invocation, !serving);
	const { database } = blueprint.config;
	const { logLevel = blueprint.config.server.logLevel, logFormat } = invocation;
	const log = logOf?.(logLevel, logFormat) ?? createLog(logLevel, logFormat);
	const fromEnvironment = invocation.environment["PORTICO_ADMIN_TOKEN"];
	checkAdminToken(fromEnvironment);
	makeFilesPrivate();
	const dataFolder = makeDataFolder(dataFolderOf(blueprint));
	tightenFiles(dataFolder, databaseFile(database.url), log);
	const own = invocation.worker === undefined ? dataFolder : workerFolder(dataFolder, invocation.worker);
	const node = serving ? { node: nodeLock(own) } : {};
	const input = { ...database, ...node, clock: systemClock, log, changing };
	const opened = await openDatabase(invocation.database, input);
	if ("heldBy" in opened) return held(opened.heldBy);
	const { store, place, url } = opened;
	const closeAndThrow = async (error: unknown): Promise<never> => {
		await store.close();
		throw error;
	};
	// Not before: a command that meets a running server must not make a token that is not that server's.
	const prepared = refuseEmpty(store, dataFolder).then(() => adminToken(dataFolder, fromEnvironment));
	const token = await prepared.catch(closeAndThrow);
	const portico = new Portico({
		blueprint,
		store,
		clock: systemClock,
		log,
		version,
		dataFolder: own,
		sharedFolder: dataFolder,
		node: nodeName(own),
		adminToken: token,
		serving,
		...(workers && { workers }),
		again: () => readBlueprint(readingOf(invocation)),
		reloaded: () => {
			if (invocation.worker !== undefined) tellStarter({ reloaded: true });
		},
	});
	const complaints = await portico.start().catch((error: unknown) => {
		const fault = storeFaultIn(error);
		return closeAndThrow(fault ? unusable(url, fault) : error);
	});
	if (complaints.length > 0) return await closeAndThrow(new Fault(deny("invalid_request", complaints.join("\n"))));
	const close = async (): Promise<void> => {
		await portico.stop();
		await store.close();
	};
	return { portico, store, blueprint, database: place, dataFolder, log, close };
};

/**
 * Charges what processes of this data folder left that did not end in order, except those whose place is taken now:
 * the workers up to `count`, or for 0 the one that serves alone.
 */
export const settleLeft = async (invocation: Invocation, dataFolder: string, count: number): Promise<void> => {
	for (const worker of leftProcesses(dataFolder)) {
		if (worker === undefined ? count === 0 : worker <= count) continue;
		const alive = new Error("it runs");
		try {
			const opened = await openGateway({ ...invocation, worker }, true, () => {
				throw alive;
			});
			await opened.close();
		} catch (error) {
			if (error !== alive) throw error;
		}
	}
};
