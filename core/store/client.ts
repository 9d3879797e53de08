/** The driver of a database: that of files or that of servers; one Portico needs only one of them. */
import type { Client, Config } from "@libsql/client";

/** `file:` is a file; any other URL a server. */
export const openClient = async (config: Config): Promise<Client> => {
	const driver = config.url.startsWith("file:") ? import("@libsql/client/sqlite3") : import("@libsql/client/http");
	const { createClient } = await driver;
	return createClient(config);
};
