/**
 * What Portico adds to a call, in numbers taken side by side in one run: a mock upstream, a bare relay and Portico with
 * every policy, quota and the ledger on, each in its own process, driven in turns.
 *
 *   npm run bench [-- --json] [-- --quick] [-- --ladder] [-- --only WORDS] [-- --warm CALLS] [-- --seconds N] [-- --rounds N]
 *   npm run bench -- --against URL --header "authorization: Bearer …"
 *
 * Exits with 1 when a figure is over its budget, or could not be taken; standard error names it. The short form (`--quick`)
 * has loose bounds, which a cost of twice as much breaks and a busy machine does not; what breaks them is measured once
 * more before it counts.
 */
import { parseArgs } from "node:util";
import type { Pace, Party } from "./drive.ts";
import { Parties } from "./parties.ts";
import { fullParts, ladderParts, type Part, partsElsewhere, quickParts } from "./parts.ts";
import { keep, movedSince, rowForMachines } from "./results.ts";
import { isOver, type Row, tableText } from "./table.ts";

const { values: flags } = parseArgs({
	options: {
		json: { type: "boolean" },
		quick: { type: "boolean" },
		ladder: { type: "boolean" },
		only: { type: "string" },
		warm: { type: "string" },
		seconds: { type: "string", default: "2" },
		rounds: { type: "string", default: "5" },
		against: { type: "string" },
		header: { type: "string", multiple: true },
	},
});

const pace: Pace = { length: { duration: Number(flags.seconds) }, rounds: Number(flags.rounds) };
const warmUp = Number(flags.warm ?? (flags.quick ? 20_000 : 60_000));

const chosen = (): readonly Part[] => {
	if (flags.quick) return quickParts;
	if (flags.against) return partsElsewhere(pace);
	if (flags.ladder) return ladderParts(pace, warmUp);
	const { only = "" } = flags;
	return fullParts(pace).filter(({ name }) => name.includes(only));
};

const partyElsewhere = (url: string): Party => ({
	name: url,
	pid: undefined,
	url,
	headers: Object.fromEntries((flags.header ?? []).map((header) => header.split(/:\s*/, 2))),
});

/** In the short form a figure over its bound is taken up to twice more: something else may have had the machine. */
const measured = async (part: Part, parties: Parties, more = flags.quick ? 2 : 0): Promise<readonly Row[]> => {
	const rows = await part.measure(parties);
	return more > 0 && rows.some(isOver) ? await measured(part, parties, more - 1) : rows;
};

const parts = chosen();
if (parts.length === 0) {
	console.error(
		`no part of the bench has "${flags.only}" in its name: ${fullParts(pace)
			.map(({ name }) => name)
			.join(", ")}`,
	);
	process.exit(1);
}
const parties = new Parties({
	warmUp,
	against: flags.against === undefined ? undefined : partyElsewhere(flags.against),
});
const rows: Row[] = [];
const failures: string[] = [];
const moved: string[] = [];
try {
	for (const part of parts) {
		const began = performance.now();
		try {
			const taken = await measured(part, parties);
			rows.push(...taken);
			// What was measured in short, or beside another gateway, is no result to keep.
			if (!flags.quick && !flags.against) {
				moved.push(...movedSince(taken));
				keep(taken);
			}
		} catch (error) {
			failures.push(`${part.name}: ${error instanceof Error ? error.message : String(error)}`);
		}
		// A run takes minutes, and says where it is.
		console.error(`${part.name}: took ${((performance.now() - began) / 1000).toFixed(0)} s`);
	}
} finally {
	await parties.stop();
}

if (flags.json) console.log(JSON.stringify(rows.map(rowForMachines), undefined, "\t"));
else console.log([tableText(rows, flags.against ?? "bare relay"), ...moved].join("\n"));
const over = rows.filter(isOver);
for (const { what } of over) console.error(`over budget: ${what}`);
for (const failure of failures) console.error(`could not be measured: ${failure}`);
process.exit(over.length + failures.length > 0 ? 1 : 0);
