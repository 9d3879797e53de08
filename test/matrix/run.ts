/**
 * Tries every recorded exchange for a client of every other protocol and prints what was equal:
 * `bun test/matrix/run.ts [--only=client←upstream] [--mode=stream] [--name=part] [--show=cause] [--evidence]`.
 * With `--door` the exchanges go through a whole Portico, also those in one protocol, at every chunking.
 */
import { inspect } from "node:util";
import { withoutShared } from "../support/recordings.ts";
import { loadSchemas } from "../support/schemas.ts";
import { doorTrials } from "./door.ts";
import { loadProtocols } from "./protocols.ts";
import { isEqual, printCauses, printTable } from "./report.ts";
import type { Trial } from "./trial.ts";
import { trialsOf } from "./trials.ts";

const options = new Map(process.argv.slice(2).map((word) => word.replace(/^--/, "").split("=") as [string, string]));

const withoutEvidence = ({ evidence: _, ...trial }: Trial): Trial => trial;

/** All that is known of each trial in which something is wrong. */
const printEvidence = (trials: readonly Trial[]): number => {
	const wrong = trials.filter((trial) => !isEqual(trial));
	for (const trial of wrong) console.log(inspect(trial, { depth: 12, maxStringLength: 4000, breakLength: 140 }));
	return wrong.length === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
	if (withoutShared) return 0;
	const [client, upstream] = options.get("only")?.split(/←|<-/) ?? [];
	const name = options.get("name");
	const of = ({ name: whole }: { name: string }) => name === undefined || whole.includes(name);
	const trials: Trial[] = [];
	const mode = options.get("mode");
	const protocols = await loadProtocols();
	const all = options.has("door")
		? doorTrials(protocols, of)
		: trialsOf(protocols, await loadSchemas(), { client, upstream, of });
	for await (const trial of all)
		if (mode === undefined || trial.mode === mode)
			trials.push(options.has("evidence") ? trial : withoutEvidence(trial));
	if (options.has("evidence")) return printEvidence(trials);
	printTable(
		trials.filter(({ official }) => official),
		"the providers' own hosts",
	);
	printTable(
		trials.filter(({ official }) => !official),
		"other vendors that speak the protocols",
	);
	printCauses(trials, options.get("show"));
	return trials.some(({ crash }) => crash !== undefined) ? 1 : 0;
};

process.exitCode = await main();
