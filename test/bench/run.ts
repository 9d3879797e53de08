/**
 * What Portico adds to a call, in numbers taken side by side in one run: a mock upstream, a bare relay and Portico with
 * every policy, quota and the ledger on, each in its own process, driven in turns.
 *
 *   npm run bench [-- --json] [-- --quick] [-- --against URL --header "authorization: Bearer …"]
 *
 * Exits with 1 when a figure is over its budget. The short form (`--quick`) has loose bounds, which a cost of twice as
 * much breaks and a busy machine does not; what breaks them is measured once more before it counts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Pace, type Party, warm } from "./drive.ts";
import { type Started, startHouse, startRelay } from "./house.ts";
import { start } from "./processes.ts";
import * as measure from "./rows.ts";
import { isOver, type Row, tableText } from "./table.ts";

const { values: flags } = parseArgs({
	options: {
		json: { type: "boolean" },
		quick: { type: "boolean" },
		against: { type: "string" },
		header: { type: "string", multiple: true },
	},
});

/** How many times the bare relay each may cost. */
const budget = { call: 1.5, event: 1.15, translated: 1.35 };
/** The same for the short form: less than twice what each does cost on a machine that has nothing else to do. */
const loose = { call: 5.2, event: 3.1, translated: 3.6, startProcessorMs: 800, callback: 19 };

const pace: Pace = { length: { duration: 5 }, rounds: 3 };
const shortCalls: Pace = { length: { amount: 4000 }, rounds: 5, together: true };
const shortStreams: Pace = { length: { amount: 300 }, rounds: 5, together: true };

interface Bench {
	readonly upstream: string;
	readonly relay: Started;
	readonly house: Started;
	readonly pair: measure.Pair;
	readonly folder: string;
}

type Measure = (bench: Bench) => Promise<readonly Row[]>;

const [shortTranslation] = measure.translations;

const quick: readonly Measure[] = [
	({ pair }) => measure.callRows(pair, 64, shortCalls, loose.call),
	({ pair }) => measure.passedRows(pair, shortStreams, loose.event),
	({ pair }) => measure.translatedRows(pair, shortTranslation, shortStreams, loose.translated),
	({ upstream }) => measure.startRows(upstream, { processorMs: loose.startProcessorMs }),
	() => measure.policyRows(40, "--quick"),
	({ relay }) => measure.deliveryRows(relay, 3000, { most: loose.callback }),
];

/** What can be said of a gateway that runs elsewhere: nothing of its processor time. */
const elsewhere: readonly Measure[] = [
	...[1, 64, 512].map(
		(connections): Measure =>
			async ({ pair }) => {
				const [, perSecond] = await measure.callRows(pair, connections, pace, Number.POSITIVE_INFINITY);
				return perSecond ? [perSecond] : [];
			},
	),
	({ pair }) => measure.latencyRows(pair),
];

const full: readonly Measure[] = [
	...[1, 64, 512].map(
		(connections): Measure =>
			({ pair }) =>
				measure.callRows(pair, connections, pace, budget.call),
	),
	({ pair }) => measure.largeRows(pair, pace),
	({ pair }) => measure.latencyRows(pair),
	({ pair }) => measure.passedRows(pair, pace, budget.event),
	({ pair }) => measure.strippedRows(pair, pace),
	...measure.translations.map(
		(translation): Measure =>
			({ pair }) =>
				measure.translatedRows(pair, translation, pace, budget.translated),
	),
	({ house }) => measure.memoryRows(house),
	({ upstream }) => measure.startRows(upstream, { ms: 300 }),
	() => measure.policyRows(25),
	({ relay }) => measure.deliveryRows(relay, 10_000, { least: 2000 }),
	({ upstream, folder }) => measure.workerRows(upstream, folder, pace),
];

const chosen = (): readonly Measure[] => {
	if (flags.quick) return quick;
	return flags.against ? elsewhere : full;
};

/** In the short form a figure over its bound is taken once more: something else may have had the machine. */
const measured = async (one: Measure, bench: Bench): Promise<readonly Row[]> => {
	const rows = await one(bench);
	return flags.quick && rows.some(isOver) ? await one(bench) : rows;
};

const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
const upstream = await start([join(import.meta.dir, "mock-upstream.ts")]);
const relay = await startRelay(upstream.url);
const house = await startHouse(upstream.url);
const headers = Object.fromEntries((flags.header ?? []).map((header) => header.split(/:\s*/, 2)));
const beside: Party = flags.against ? { name: flags.against, pid: undefined, url: flags.against, headers } : relay;
const rows: Row[] = [];
const failures: string[] = [];
try {
	for (const party of [beside, house]) await warm(party);
	const bench = { upstream: upstream.url, relay, house, pair: [beside, house] as const, folder };
	for (const one of chosen())
		await measured(one, bench).then(
			(taken) => rows.push(...taken),
			(error: unknown) => failures.push(error instanceof Error ? error.message : String(error)),
		);
} finally {
	await house.stop();
	await relay.stop();
	await upstream.stop();
	rmSync(folder, { recursive: true, force: true });
}

console.log(flags.json ? JSON.stringify(rows, undefined, "\t") : tableText(rows, beside.name));
const over = rows.filter(isOver);
for (const { what } of over) console.log(`over budget: ${what}`);
for (const failure of failures) console.log(`could not be measured: ${failure}`);
process.exit(over.length + failures.length > 0 ? 1 : 0);
