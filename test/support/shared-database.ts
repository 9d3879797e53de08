/** The database that several nodes of a test share: a real `sqld` where there is one, or else the stand-in that speaks its protocol. */
import { join } from "node:path";
import { startSqlServer } from "./sql-server.ts";
import { type Sqld, sqldProgram, startSqld } from "./sqld.ts";

export type SharedDatabase = Pick<Sqld, "url" | "close">;

/** With its files in `folder`. */
export const startSharedDatabase = async (folder: string): Promise<SharedDatabase> => {
	const program = sqldProgram();
	return program ? await startSqld(program, folder) : startSqlServer(join(folder, "shared.db"));
};
