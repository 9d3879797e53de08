/** `portico serve --workers N`: several processes of this program on one port, each a node of its own, looked after by this one. */

import { deny, Fault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { certificateComplaints } from "../host/certificate.ts";
import { tablesInOrder } from "../host/generation.ts";
import { makeDataFolder } from "../host/node-files.ts";
import { createLog } from "../runtime/log.ts";
import { addressOf } from "../runtime/serve.ts";
import { environmentOfOneOf, holdSignal, makeFilesPrivate, startAnother } from "../runtime/system.ts";
import { systemClock } from "../wire/system-clock.ts";
import { buildOnly } from "./inspect.ts";
import { blueprintOf, dataFolderOf, settleLeft } from "./open.ts";
import { type OwnDatabase, openOwnDatabase } from "./own-database.ts";
import { listenAt, refuseHeld } from "./serve.ts";
import { environmentOfWorker, type Invocation } from "./settings.ts";
import { Supervisor } from "./supervisor.ts";
import { hearStop } from "./told-to-stop.ts";

/** A port on which nobody else listens: a worker, which shares it, would not notice. Throws `Fault` where there is none. */
const freePort = async ({ config: { server } }: Blueprint): Promise<number> => {
	const probe = listenAt({ ...server, reusePort: false, handle: () => new Response(null, { status: 503 }) });
	await probe.cut();
	return probe.port;
};

/** The packaged database server, where the config names a file. Throws `Fault` when another process has that. */
const ownServer = async (blueprint: Blueprint, log: Log): Promise<OwnDatabase | undefined> => {
	const { url } = blueprint.config.database;
	// A file is not taken over for a start that fails.
	const forWorkers = async () => {
		const tables = tablesInOrder(await buildOnly(blueprint));
		const [complaint] = certificateComplaints(blueprint.config.server);
		if (complaint !== undefined) throw new Fault(deny("invalid_request", complaint));
		await freePort(blueprint);
		return tables;
	};
	const own = await openOwnDatabase({ url, log, forWorkers });
	return own && "heldBy" in own ? refuseHeld(own.heldBy) : own;
};

/** Serves with so many processes until told to stop; resolves when every one has ended in order, and the database server after them. */
export const serveWithWorkers = async (
	invocation: Invocation,
	count: number,
	print: (line: string) => void,
): Promise<void> => {
	const blueprint = await blueprintOf(invocation);
	makeFilesPrivate();
	const dataFolder = makeDataFolder(dataFolderOf(blueprint));
	const { logLevel = blueprint.config.server.logLevel, logFormat } = invocation;
	const log = createLog(logLevel, logFormat);
	const own = await ownServer(blueprint, log);
	try {
		await settleLeft({ ...invocation, database: own?.database }, dataFolder, count);
		const port = await freePort(blueprint);
		const { server } = blueprint.config;
		const begun = (greeting: string): void => {
			own?.describe({ address: addressOf(server.host, port, server.tls !== undefined) });
			print(greeting);
		};
		await supervise(supervisorOf(invocation, own, { port, count }, log), invocation.reloads, count, begun);
	} finally {
		await own?.close();
	}
};

/** What a worker is told of its log, where the operator said it. */
const loggingOf = ({ logLevel, logFormat }: Invocation): readonly string[] => [
	...(logLevel === undefined ? [] : ["--log-level", logLevel]),
	...(logFormat === undefined ? [] : ["--log-format", logFormat]),
];

/** Starts the workers, all on one port, and looks after them. */
const supervisorOf = (
	invocation: Invocation,
	own: OwnDatabase | undefined,
	{ port, count }: { readonly port: number; readonly count: number },
	log: Log,
): Supervisor => {
	const config = invocation.builtIn ? [] : ["--config", invocation.file];
	const words = ["serve", ...config, ...loggingOf(invocation), "--port", String(port), "--worker"];
	const environment = { ...(own && environmentOfWorker(own.database)), ...environmentOfOneOf(count) };
	return new Supervisor({
		launch: (worker, heard) => startAnother([...words, String(worker)], environment, heard),
		clock: systemClock,
		log,
	});
};

/** Runs so many workers until all have ended. `begun` is told what the first one greets with. */
const supervise = async (
	supervisor: Supervisor,
	reloads: Invocation["reloads"],
	count: number,
	begun: (greeting: string) => void,
): Promise<void> => {
	(reloads ?? holdSignal("SIGHUP")).act(() => supervisor.tell("SIGHUP"));
	const told = hearStop(systemClock);
	void told.stop.then(() => supervisor.end());
	void told.now.then(() => supervisor.tell("SIGINT"));
	// While all workers are dead nothing else would keep this process alive.
	setInterval(() => undefined, 60_000);
	try {
		// The first one makes the tables and the first token; the others find them there.
		begun(await supervisor.begin(1));
		await Promise.all(Array.from({ length: count - 1 }, (_, index) => supervisor.begin(index + 2)));
	} catch (error) {
		supervisor.end();
		await supervisor.ended();
		throw error;
	}
	const failures = await supervisor.ended();
	if (failures > 0) throw new Fault(deny("internal", `${failures} workers did not end in order`));
};
