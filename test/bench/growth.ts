/**
 * What a call costs as a gateway grows: with more tokens, models, persons, rows in the ledger; and what a task costs with more tasks
 * open. In one process without a network, everything on, the real store on a file; rows are made in bulk.
 *
 *   npm run bench:growth [-- --json] [-- --quick] [-- --only "ledger rows"]
 *
 * Exits with 1 when the largest gateway costs more than half as much again as the smallest.
 */
import { parseArgs } from "node:util";
import { buildGateway, type GrownPortico, type Size } from "./growth-portico.ts";

const { values: flags } = parseArgs({
	options: { json: { type: "boolean" }, quick: { type: "boolean" }, only: { type: "string" } },
});

/** How many times the smallest gateway's cost the largest may have. */
const most = 1.5;
const rounds = 4;

interface Growth {
	readonly what: string;
	readonly sizes: readonly Size[];
	/** Microseconds of processor time. */
	measure(gateway: GrownPortico): Promise<number>;
}

const calls = flags.quick ? 2_000 : 6_000;
const tasks = flags.quick ? 100 : 300;
const call = (gateway: GrownPortico): Promise<number> => gateway.calls(calls);

const growths: readonly Growth[] = [
	{
		what: "tokens",
		sizes: [1, 1_000, flags.quick ? 10_000 : 100_000].map((tokens) => ({ tokens })),
		measure: call,
	},
	{ what: "models", sizes: [1, 200, 2_000].map((models) => ({ models })), measure: call },
	{
		what: "ledger rows",
		sizes: (flags.quick ? [0, 100_000] : [0, 100_000, 1_000_000, 10_000_000]).map((rows) => ({ rows })),
		measure: call,
	},
	{ what: "persons", sizes: [1, 100, 10_000].map((persons) => ({ persons })), measure: call },
	{
		what: "open tasks",
		sizes: (flags.quick ? [0, 10_000] : [0, 10_000, 100_000]).map((openTasks) => ({ openTasks })),
		measure: (gateway) => gateway.tasks(tasks),
	},
];

/** All sizes take turns, so that what else the machine does meets them alike; the least of each counts. */
const costs = async ({
	sizes,
	measure,
}: Growth): Promise<readonly { readonly size: number; readonly micros: number }[]> => {
	const gateways: GrownPortico[] = [];
	try {
		for (const size of sizes) gateways.push(await buildGateway(size));
		const least = gateways.map(() => Number.POSITIVE_INFINITY);
		// The first round is the warm-up.
		for (let round = 0; round <= rounds; round++)
			for (const [index, gateway] of gateways.entries()) {
				const micros = await measure(gateway);
				if (round > 0) least[index] = Math.min(least[index] ?? micros, micros);
			}
		return sizes.map((size, index) => ({ size: Object.values(size)[0] ?? 0, micros: least[index] ?? Number.NaN }));
	} finally {
		for (const gateway of gateways) await gateway.stop();
	}
};

const results = [];
for (const growth of growths.filter(({ what }) => flags.only === undefined || what === flags.only)) {
	const measured = await costs(growth);
	const ratio = (measured.at(-1)?.micros ?? Number.NaN) / (measured[0]?.micros ?? Number.NaN);
	results.push({ what: growth.what, measured, ratio, most });
	if (flags.json) continue;
	const line = measured.map(({ size, micros }) => `${size.toLocaleString("en")}: ${micros.toFixed(0)} µs`).join("   ");
	console.log(`${growth.what.padEnd(12)} ${line}   (${ratio.toFixed(2)} ×, at most ${most} ×)`);
}
if (flags.json) console.log(JSON.stringify(results, undefined, "\t"));
// What could not be measured has not passed.
process.exit(results.every(({ ratio }) => ratio <= most) ? 0 : 1);
