/** Opens everything a command or the server needs: config, lock, store, plugins. */
import { systemClock } from "../../foundation/clock.ts";
import { deny, Fault } from "../../foundation/fault.ts";
import { createLog, type Log } from "../../foundation/log.ts";
import { type OpenStore, type Owner, openStore } from "../../foundation/store/open.ts";
import { type Blueprint, readBlueprint } from "../host/blueprint.ts";
import { lentServices } from "../host/build.ts";
import { adminToken, dataFolderOf, nodeName } from "../host/node-files.ts";
import { Portico } from "../host/portico.ts";
import type { Invocation } from "./settings.ts";

/** Portico's version, shown by `portico version` and `GET /`. */
export const version = "0.1.0";

/** The blueprint of the config file. Throws `Fault` with every complaint, a line each. */
export const blueprintOf = async ({ file, environment, port }: Invocation): Promise<Blueprint> => {
	const { blueprint, complaints } = await readBlueprint({
		file,
		environment,
		lent: lentServices,
		...(port !== undefined && { port }),
	});
	if (!blueprint) throw new Fault(deny("invalid_request", complaints.join("\n")));
	return blueprint;
};

export interface OpenHouse {
	readonly portico: Portico;
	readonly store: OpenStore;
	readonly blueprint: Blueprint;
	readonly dataFolder: string;
	readonly log: Log;
	close(): Promise<void>;
}

/** Opens the store (and holds its lock) and starts the plugins. Throws `Fault`; `held` is called when another process has the database. */
export const openHouse = async (
	invocation: Invocation,
	serving: boolean,
	held: (owner: Owner) => never,
): Promise<OpenHouse> => {
	const blueprint = await blueprintOf(invocation);
	const { database, server } = blueprint.config;
	const log = createLog(server.logLevel);
	const dataFolder = dataFolderOf(database.url, server.dataFolder);
	const opened = await openStore({ ...database, clock: systemClock, log });
	if ("heldBy" in opened) return held(opened.heldBy);
	const portico = new Portico({
		blueprint,
		store: opened,
		clock: systemClock,
		log,
		version,
		dataFolder,
		node: nodeName(dataFolder),
		adminToken: adminToken(dataFolder, invocation.environment["PORTICO_ADMIN_TOKEN"]),
		serving,
		again: () => readBlueprint({ ...invocation, lent: lentServices }),
	});
	const complaints = await portico.start().catch(async (error: unknown) => {
		await opened.close();
		throw error;
	});
	if (complaints.length > 0) {
		await opened.close();
		throw new Fault(deny("invalid_request", complaints.join("\n")));
	}
	const close = async (): Promise<void> => {
		await portico.stop();
		await opened.close();
	};
	return { portico, store: opened, blueprint, dataFolder, log, close };
};
