/** Files of this node's own: its name and the admin token. */
import { randomBytes } from "node:crypto";
import {
	accessSync,
	chmodSync,
	constants,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { deny, Fault } from "../contract/fault.ts";
import { giveToOwnerOf } from "../store/owner.ts";

/** Makes the folder for files that are not in the database. Throws `Fault` where there cannot be one that can be written to. */
export const makeDataFolder = (folder: string): string => {
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		accessSync(folder, constants.W_OK | constants.X_OK);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "no reason was given";
		const advice = "Give this user the right to write there, or name another in database.url or server.dataFolder.";
		throw new Fault(
			deny("conflict", `the data folder ${folder} cannot be used (${reasons[code] ?? code}). ${advice}`),
			error,
		);
	}
	return folder;
};

const reasons: Readonly<Record<string, string>> = {
	EACCES: "this user may not write there",
	EPERM: "this user may not write there",
	EROFS: "its file system is read only",
	EEXIST: "there is a file in its place",
	ENOTDIR: "there is a file in its place",
};

/** The folder of one of several processes that share a data folder: stable, so that its successor finds what it left. */
export const workerFolder = (dataFolder: string, worker: number): string => {
	const folder = join(dataFolder, `worker-${worker}`);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
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

/** Files of this folder that tell of calls whose charge is not in the database yet. */
export const leftJournals = (folder: string): readonly string[] =>
	existsSync(folder)
		? readdirSync(folder, { recursive: true, encoding: "utf8" })
				.filter((name) => name.endsWith(".journal"))
				.map((name) => join(folder, name))
		: [];

/** What a small file holds; written at the first call, readable by its owner alone. */
const remembered = (path: string, make: () => string): string => {
	if (existsSync(path)) {
		const text = readFileSync(path, "utf8").trim();
		if (text !== "") return text;
	}
	const text = make();
	writeFileSync(path, `${text}\n`, { mode: 0o600 });
	chmodSync(path, 0o600);
	giveToOwnerOf(dirname(path), path);
	return text;
};

/** This node's name: random, kept in the data folder. */
export const nodeName = (dataFolder: string): string =>
	remembered(join(dataFolder, "node-id"), () => `node_${randomBytes(8).toString("hex")}`);

/** Where the admin token is kept unless `PORTICO_ADMIN_TOKEN` gives one. */
export const adminTokenFile = (dataFolder: string): string => join(dataFolder, "admin-token");

/** Fewer could be guessed. */
const shortestAdminToken = 32;

/** The token, or a `Fault` that says what is wrong with it; never the token itself. */
const usableAdminToken = (token: string, source: string): string => {
	if (token.length >= shortestAdminToken && !/\s/.test(token)) return token;
	const found = /\s/.test(token) ? "holds white space" : `has ${token.length} characters`;
	const advice = "Give it 32 or more without white space, such as: openssl rand -hex 32";
	throw new Fault(deny("invalid_request", `the admin token in ${source} ${found}. ${advice}`));
};

/** Throws `Fault` for an admin token in the environment that cannot be used; none there is fine. */
export const checkAdminToken = (fromEnvironment: string | undefined): void => {
	if (fromEnvironment) usableAdminToken(fromEnvironment, "PORTICO_ADMIN_TOKEN");
};

/** The admin token: from the environment, or random and kept in the data folder. Throws `Fault` for one that is too short. */
export const adminToken = async (dataFolder: string, fromEnvironment: string | undefined): Promise<string> => {
	checkAdminToken(fromEnvironment);
	if (fromEnvironment) return fromEnvironment;
	const file = adminTokenFile(dataFolder);
	return usableAdminToken(
		remembered(file, () => `admin-${randomBytes(32).toString("base64url")}`),
		file,
	);
};
