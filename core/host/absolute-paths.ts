/** Paths of a config made absolute: its data belongs to the config file, whatever folder a command is called from. */
import { basename, dirname, join, resolve } from "node:path";
import type { Places } from "../config/places.ts";
import type { Config } from "../config/read.ts";
import { databaseFile } from "../store/connection.ts";

/** The folder of the config file; of one in a folder called `config`, the folder that holds it. */
export const baseFolder = (file: string): string => {
	const folder = dirname(resolve(file));
	return basename(folder) === "config" ? dirname(folder) : folder;
};

/** A path within a `file:` URL, where `%`, `?` and `#` mean something. */
const inUrl = (path: string): string => path.replace(/[%?#]/g, encodeURIComponent);

const relativeFile = /^file:(?!\/|:memory:)([^?#]*)/;

/** The same places, absolute; the data folder is beside the database file where none is named. */
export const placesAt = (base: string, given: Places): { readonly url: string; readonly dataFolder: string } => {
	const url = given.url.replace(
		relativeFile,
		// A file in the root of all folders has nothing before its slash: two would begin the name of a host.
		(_, path: string) => `file:${inUrl(base).replace(/\/$/, "")}/${path.replace(/^(?:\.\/)+/, "")}`,
	);
	const file = databaseFile(url);
	const beside = file === undefined || file === ":memory:" ? join(base, "data") : dirname(file);
	return { url, dataFolder: resolve(base, given.dataFolder ?? beside) };
};

/** The same config with every path of its data absolute. */
export const withAbsolutePaths = (config: Config, base: string): Config => {
	const { dataFolder: named } = config.server;
	const { url, dataFolder } = placesAt(base, { url: config.database.url, dataFolder: named });
	const { backup } = config.database;
	const folder = backup.folder === undefined ? join(dataFolder, "backups") : resolve(base, backup.folder);
	const database = { ...config.database, url, backup: { ...backup, folder } };
	const { tls } = config.server;
	const files = tls && { tls: { cert: resolve(base, tls.cert), key: resolve(base, tls.key) } };
	return { ...config, server: { ...config.server, dataFolder, ...files }, database };
};
