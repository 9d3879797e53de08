/** Finds the server of this machine that a command is to ask: by the lock that it holds, on its database file or in its data folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServerConfig } from "../config/schema-core.ts";
import { leftProcesses, nodeLock } from "../host/node-files.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";
import { fetchOwn } from "../runtime/fetch-own.ts";
import { addressOf } from "../runtime/serve.ts";
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

const answersWithinMs = 2_000;

/** What a Portico says of itself at the address of this config, where one serves there; it need not be of this config. */
export const servedThere = async ({
	host,
	port,
	tls,
}: ServerConfig): Promise<{ readonly address: string; readonly unready: string | undefined } | undefined> => {
	if (port === 0) return undefined;
	const address = addressOf(host, port, tls !== undefined);
	const ask = async (path: string): Promise<ReturnType<typeof asRecord>> => {
		const answer = await fetchOwn(new Request(address + path), AbortSignal.timeout(answersWithinMs));
		return asRecord(parseJson(await answer.text()));
	};
	try {
		if ((await ask("/"))["name"] !== "portico") return undefined;
		return { address, unready: asText((await ask("/readyz"))["reason"]) };
	} catch {
		return undefined;
	}
};
