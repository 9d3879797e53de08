/** A database file that the packaged server has taken over: what it was lies in a folder beside it, and is that server's. */
import { existsSync } from "node:fs";
import { deny, Fault } from "../contract/fault.ts";
import { databaseFile } from "./connection.ts";

/** Where the server keeps what was in the file. */
export const serverFolder = (file: string): string => `${file}.sqld`;

/** That folder, for a database that the config names as a file. */
export const folderOfServer = (url: string): string | undefined => {
	const file = databaseFile(url);
	return file && serverFolder(file);
};

/** The file has been taken over: it is not where the data is. */
export const isTakenOver = (file: string): boolean => existsSync(serverFolder(file));

/** What is left of the file, under a name that says so. */
export const takenOverName = (file: string): string => `${file}.taken-over`;

/** Throws `Fault` where the file was taken over and the folder is gone: a new database would hide that everything is lost. */
export const refuseLost = (file: string): void => {
	const left = takenOverName(file);
	if (existsSync(file) || isTakenOver(file) || !existsSync(left)) return;
	const folder = serverFolder(file);
	const anew = `to begin without any data, remove ${left}`;
	const advice = `Put it back, or the last backup in its place (portico db restore FILE); ${anew}`;
	throw new Fault(deny("conflict", `the folder ${folder}, which held the database, is gone. ${advice}`));
};
