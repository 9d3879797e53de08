/** Whether work a call grows with workers: one and two of them, on one database server. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { sqldProgram, startSqld } from "../support/sqld.ts";
import { bodyOf, compare, type Pace, warm } from "./drive.ts";
import { type Started, startPortico } from "./portico.ts";
import { start } from "./processes.ts";
import { costRow, row } from "./rows.ts";
import type { Row } from "./table.ts";

/** Where the load, the upstream and the database run, and where the workers do: so neither takes the other's time. */
const cores = { load: 0, workers: 1 };
const canPin = cpus().length > 1 && Bun.which("taskset") !== null;

/** Puts this process, and what it starts from now on, on some cores; gives those it had. */
const moveTo = (list: string): string => {
	const had =
		execFileSync("taskset", ["-pc", String(process.pid)], { encoding: "utf8" })
			.split(": ")[1]
			?.trim() ?? list;
	execFileSync("taskset", ["-apc", list, String(process.pid)]);
	return had;
};

const compareWorkers = async (one: Started, two: Started, pace: Pace): Promise<Row[]> => {
	const load = { body: bodyOf(), connections: 64 };
	// Each worker has code of its own to make warm.
	for (const [index, gateway] of [one, two].entries()) await warm(gateway, 20_000 * (index + 1));
	const compared = await compare([one, two], [load, load], pace);
	return [
		row("calls a second, 1 worker and 2 workers", "/s", [compared.beside.perSecond, compared.portico.perSecond]),
		costRow("processor time a call, 1 worker and 2 workers", compared, 1, { most: 1.15 }),
	];
};

/** None where there is no `sqld`. Where cores can be chosen, one has the load and another all the workers. */
export const workerRows = async (pace: Pace): Promise<Row[]> => {
	const program = sqldProgram();
	if (program === undefined) return [];
	const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
	const had = canPin ? moveTo(String(cores.load)) : undefined;
	const core = canPin ? cores.workers : undefined;
	const upstream = await start([join(import.meta.dir, "mock-upstream.ts")]);
	const database = await startSqld(program, folder);
	const gateways: Started[] = [];
	try {
		for (const workers of [1, 2])
			gateways.push(await startPortico(upstream.url, { database: database.url, workers, core }));
		const [one, two] = gateways;
		return one && two ? await compareWorkers(one, two, pace) : [];
	} finally {
		for (const gateway of gateways) await gateway.stop();
		await upstream.stop();
		await database.close();
		if (had !== undefined) moveTo(had);
		rmSync(folder, { recursive: true, force: true });
	}
};
