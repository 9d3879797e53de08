/** Finds the server of this machine that a command is to ask: by the lock that it holds, on its database file or in its data folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { leftProcesses, nodeLock } from "../host/node-files.ts";
import { databaseFile } from "../store/connection.ts";
import { holderOf } from "../store/lock.ts";
import type { Server } from "./admin-calls.ts";

/** Undefined where none runs that serves already. `url`: of the database. */
export const runningServer = (url: string, dataFolder: string): Server | undefined => {
	const file = databaseFile(url);
	const nodes = (): readonly string[] =>
		(existsSync(dataFolder) ? leftProcesses(dataFolder) : []).map((worker) =>
			nodeLock(worker === undefined ? dataFolder : join(dataFolder, `worker-${worker}`)),
		);
	for (const path of file === undefined ? nodes() : [file]) {
		const { address, pid = 0 } = holderOf(path) ?? {};
		if (address !== undefined) return { address, pid };
	}
	return undefined;
};
