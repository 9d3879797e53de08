/** Files of this node's own: its name and the admin token. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder for files that are not in the database: beside a database file, otherwise `data`. Created. */
export const dataFolderOf = (databaseUrl: string, configured: string | undefined): string => {
	const file = databaseUrl.startsWith("file:")
		? dirname(databaseUrl.slice("file:".length).split("?")[0] ?? "")
		: "data";
	const folder = resolve(configured ?? (file === "" ? "." : file));
	mkdirSync(folder, { recursive: true });
	return folder;
};

/** The folder of one of several processes that share a data folder: stable, so that its successor finds what it left. */
export const workerFolder = (dataFolder: string, worker: number): string => {
	const folder = join(dataFolder, `worker-${worker}`);
	mkdirSync(folder, { recursive: true });
	return folder;
};

/** What a process locks to have a folder for itself. */
export const nodeLock = (folder: string): string => join(folder, "node");

/**
 * Processes that did not end in order, so that their journals are still to be charged: workers by their number, and
 * undefined for one that served alone. Processes that run are among them.
 */
export const leftProcesses = (dataFolder: string): readonly (number | undefined)[] =>
	[".", ...readdirSync(dataFolder)].flatMap((name) => {
		const worker = name === "." ? undefined : Number(/^worker-(\d+)$/.exec(name)?.[1]);
		return existsSync(join(dataFolder, name, "node.owner")) && !Number.isNaN(worker) ? [worker] : [];
	});

/** What a small file holds; written at the first call, readable by its owner alone. */
const remembered = (path: string, make: () => string): string => {
	if (existsSync(path)) {
		const text = readFileSync(path, "utf8").trim();
		if (text !== "") return text;
	}
	const text = make();
	writeFileSync(path, `${text}\n`, { mode: 0o600 });
	chmodSync(path, 0o600);
	return text;
};

/** This node's name: random, kept in the data folder. */
export const nodeName = (dataFolder: string): string =>
	remembered(join(dataFolder, "node-id"), () => `node_${randomBytes(8).toString("hex")}`);

/** Where the admin token is kept unless `PORTICO_ADMIN_TOKEN` gives one. */
export const adminTokenFile = (dataFolder: string): string => join(dataFolder, "admin-token");

/** The admin token: from the environment, or random and kept in the data folder. */
export const adminToken = (dataFolder: string, fromEnvironment: string | undefined): string =>
	fromEnvironment || remembered(adminTokenFile(dataFolder), () => `admin-${randomBytes(32).toString("base64url")}`);
