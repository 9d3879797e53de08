/** `portico serve --workers N`: several processes of this program on one port, each a node of its own, looked after by this one. */
import { systemClock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";
import { makeDataFolder } from "../host/node-files.ts";
import { createLog } from "../runtime/log.ts";
import { onSignal, startAnother } from "../runtime/system.ts";
import { blueprintOf, dataFolderOf, settleLeft } from "./open.ts";
import { listenAt } from "./serve.ts";
import type { Invocation } from "./settings.ts";
import { Supervisor } from "./supervisor.ts";

const fileAdvice = (url: string): string =>
	[
		`several workers cannot share ${url}: a database file belongs to one process. Give them a database server:`,
		"  sqld -d data/sqld --http-listen-addr 127.0.0.1:8080",
		'and in the config file  database: { url: "http://127.0.0.1:8080" }',
	].join("\n");

/** Serves with so many processes until told to stop; resolves when every one has ended in order. */
export const serveWithWorkers = async (
	invocation: Invocation,
	count: number,
	print: (line: string) => void,
): Promise<void> => {
	const blueprint = await blueprintOf(invocation);
	const { server, database } = blueprint.config;
	if (database.url.startsWith("file:")) throw new Fault(deny("invalid_request", fileAdvice(database.url)));
	await settleLeft(invocation, makeDataFolder(dataFolderOf(blueprint)), count);
	// Nobody else listens there: a worker, which shares its port, would not notice.
	const probe = listenAt({ ...server, reusePort: false, handle: () => new Response(null, { status: 503 }) });
	await probe.cut();
	const config = invocation.builtIn ? [] : ["--config", invocation.file];
	const words = ["serve", ...config, "--port", String(probe.port), "--worker"];
	const crew = new Supervisor({
		launch: (worker, heard) => startAnother([...words, String(worker)], heard),
		clock: systemClock,
		log: createLog(server.logLevel),
	});
	onSignal("SIGHUP", () => crew.tell("SIGHUP"));
	onSignal("SIGTERM", () => crew.end());
	onSignal("SIGINT", () => crew.end());
	// While all workers are dead nothing else would keep this process alive.
	setInterval(() => undefined, 60_000);
	try {
		// The first one makes the tables and the first token; the others find them there.
		print(await crew.begin(1));
		await Promise.all(Array.from({ length: count - 1 }, (_, index) => crew.begin(index + 2)));
	} catch (error) {
		crew.end();
		await crew.ended();
		throw error;
	}
	const failures = await crew.ended();
	if (failures > 0) throw new Fault(deny("internal", `${failures} workers did not end in order`));
};
