/**
 * `npm run soak -- --minutes 10 --rate 300`: a Portico process with every policy, quota, ledger, tasks and webhooks under a
 * steady load of all four protocols, each to each, calm and with 5 % of everything going wrong by turns (what else the machine
 * does then meets both alike): upstreams, clients, receivers of callbacks. Prints memory over time, and exits with 1 when a
 * promise is broken.
 *
 * "The start" is after a warm-up by the same load with the same faults, and a rest: by then all code has been compiled
 * that will be, and every cache has met what it keeps. "The end" is after a rest as long. At both, clients and upstream
 * have closed their connections, and nobody forces a collection before the reading; what one would free is read after it.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { booksOf } from "./accounts.ts";
import { wrongOutcomes } from "./calls.ts";
import type { Order } from "./client.ts";
import { countOf, linesOf, percentile, type Told, together } from "./counts.ts";
import { type Reading, startProgram, startSoakGateway } from "./gateway.ts";

const { values } = parseArgs({
	options: { minutes: { type: "string", default: "10" }, rate: { type: "string", default: "300" } },
});
const totalMs = Number(values.minutes) * 60_000;
const warmUpMs = Math.max(30_000, Math.min(90_000, totalMs / 4));
const restMs = 30_000;
const turns = 5;
const sampleMs = Math.max(5_000, totalMs / 40);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const show = (label: string, { residentMegabytes, heapMegabytes, descriptors, sockets }: Reading): void =>
	print(
		`${label.padEnd(16)} resident ${residentMegabytes.toFixed(0).padStart(4)} MB, heap ${heapMegabytes.toFixed(0).padStart(3)} MB, ${descriptors} descriptors, ${sockets} of them sockets`,
	);

// An end by a signal is an end like any other: what was started is told to end too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const folder = mkdtempSync(join(tmpdir(), "portico-soak-"));
const upstream = await startProgram([join(import.meta.dir, "upstream.ts")], folder);
const gateway = await startSoakGateway(folder, upstream.url);
const began = performance.now();

/** Runs the clients of one phase to their end. */
const runClients = (order: Order): Promise<Told> =>
	new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [join(import.meta.dir, "client.ts"), JSON.stringify(order)], {
			env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" },
			stdio: ["ignore", "pipe", "inherit"],
		});
		process.once("exit", () => child.kill());
		let output = "";
		child.stdout.on("data", (data) => {
			output += String(data);
		});
		child.once("close", (code) => {
			if (code === 0) resolve(JSON.parse(output));
			else reject(new Error(`the clients ended with ${code}`));
		});
	});

/** Runs one phase, printing memory as it goes. */
const phase = async (name: string, milliseconds: number, shareWrong: number): Promise<Told> => {
	const { url, keys, poorKey } = gateway;
	let over = false;
	const work = runClients({ url, keys, poorKey, rate: Number(values.rate), shareWrong, milliseconds }).finally(() => {
		over = true;
	});
	while (!over) {
		await Promise.race([work, pause(sampleMs)]);
		show(`${((performance.now() - began) / 1000).toFixed(0)} s ${name}`, await gateway.read());
	}
	return await work;
};

const tell = (name: string, told: Told): void => {
	print(`${name}: ${countOf(told.outcomes, "healthy", "answered")} healthy calls answered`);
	for (const line of linesOf(told)) print(line);
};

const rest = async (name: string): Promise<{ readonly reading: Reading; readonly collected: Reading }> => {
	process.kill(upstream.pid, "SIGUSR2");
	await pause(restMs);
	const reading = await gateway.read();
	show(name, reading);
	const collected = await gateway.read(true);
	show("(collected)", collected);
	return { reading, collected };
};

const warm = await phase("warm-up", warmUpMs, 0.05);
tell("warm-up", warm);
const { reading: start, collected: collectedStart } = await rest("START");
const told: { readonly calm: Told[]; readonly wrong: Told[] } = { calm: [], wrong: [] };
for (let turn = 0; turn < turns; turn++) {
	told.calm.push(await phase("calm", totalMs / 4 / turns, 0));
	told.wrong.push(await phase("5 % wrong", (totalMs * 3) / 4 / turns, 0.05));
}
const [calm, wrong] = [together(told.calm), together(told.wrong)];
tell("calm", calm);
tell("5 % wrong", wrong);
const { reading: end, collected: collectedEnd } = await rest("END");
const code = await gateway.stop();
await upstream.stop();
const books = booksOf(join(folder, "portico.db"));
rmSync(folder, { recursive: true, force: true });

const calls = countOf(calm.outcomes) + countOf(wrong.outcomes);
const per = (before: number, after: number): string => (((after - before) / calls) * 100_000).toFixed(1);
print(
	`${calls} calls and tasks from start to end; per 100,000 of them resident memory grew by ${per(start.residentMegabytes, end.residentMegabytes)} MB, what is really held on the heap by ${per(collectedStart.heapMegabytes, collectedEnd.heapMegabytes)} MB`,
);

const p99 = (of: (told: Told) => readonly number[]): readonly [number, number] => [
	percentile(of(calm), 0.99),
	percentile(of(wrong), 0.99),
];
const [calmFirst, wrongFirst] = p99(({ firstBytes }) => firstBytes);
const [calmEnd, wrongEnd] = p99(({ ends }) => ends);
const outcomes = [warm, calm, wrong].flatMap((told) => wrongOutcomes(told.outcomes));
const reused = [warm, calm, wrong].reduce((sum, told) => sum + countOf(told.outcomes, "connections"), 0);
const answered = [warm, calm, wrong].reduce((sum, told) => sum + countOf(told.outcomes, undefined, "answered"), 0);
const verdicts: readonly (readonly [string, boolean, readonly string[]])[] = [
	[
		"memory back to within 10 % of the start",
		end.residentMegabytes <= start.residentMegabytes * 1.1,
		[`${start.residentMegabytes.toFixed(1)} MB, then ${end.residentMegabytes.toFixed(1)} MB`],
	],
	[
		"descriptors and sockets back",
		end.descriptors <= start.descriptors && end.sockets <= start.sockets,
		[`${start.descriptors} descriptors, then ${end.descriptors}`],
	],
	[
		"p99 of healthy calls within 2 x of the calm run, to the first byte and to the end",
		wrongFirst <= 2 * calmFirst && wrongEnd <= 2 * calmEnd,
		[`${calmFirst} and ${calmEnd} ms, then ${wrongFirst} and ${wrongEnd} ms`],
	],
	[
		"fewer than one connection in 1,000 calls closed as it was used again",
		reused * 1000 < calls,
		[`${reused} in ${calls}`],
	],
	["every call and task came to what it may come to", outcomes.length === 0, outcomes],
	[
		"a ledger row for every answered call",
		books.completed >= answered,
		[`${books.completed} rows for ${answered} answers`],
	],
	["accounts add up, and nothing is held back", books.wrong.length === 0, books.wrong],
	["stopped with 0", code === 0, [String(code)]],
];
for (const [what, held, details] of verdicts) {
	print(`${held ? "kept  " : "FAILED"} ${what}`);
	if (!held) for (const detail of details.slice(0, 20)) print(`         ${detail}`);
}
process.exit(verdicts.every(([, held]) => held) ? 0 : 1);
