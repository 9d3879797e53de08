/**
 * Compares Portico's translations with those of others: `@braintrust/lingua-wasm` on every recorded exchange, and
 * translations that live targets accepted. Prints the differences by cause:
 * `npm run third-opinion -- [--of=library|accepted] [--show=part of a cause]`.
 */
import { withoutShared } from "../support/recordings.ts";
import { compareAll, type Group } from "./opinion-groups.ts";
import { acceptedOpinions, libraryOpinions } from "./opinions.ts";
import { loadProtocols } from "./protocols.ts";

const options = new Map(process.argv.slice(2).map((word) => word.replace(/^--/, "").split("=") as [string, string]));

const short = (value: unknown): string =>
	(JSON.stringify(value) ?? "nothing").slice(0, options.has("show") ? 2000 : 100);

const printGroup = ({ cause, count, examples }: Group): void => {
	const [first] = examples;
	console.log(`${String(count).padStart(6)}  ${cause}${first ? `  e.g. ${first.name}` : ""}`);
	const show = options.get("show");
	if (show !== undefined && cause.includes(show))
		for (const { name, ours, theirs } of examples)
			console.log(`          ${name}\n            ours   ${short(ours)}\n            theirs ${short(theirs)}`);
};

const main = async (): Promise<number> => {
	if (withoutShared) return 0;
	const protocols = await loadProtocols();
	const sources = { accepted: () => acceptedOpinions(protocols), library: () => libraryOpinions(protocols) };
	let unexplained = 0;
	for (const [name, opinions] of Object.entries(sources)) {
		if ((options.get("of") ?? name) !== name) continue;
		const { compared, same, explained, groups, unknown } = compareAll(opinions());
		console.log(
			`\n# ${name === "accepted" ? "Translations that live targets accepted" : "The library on every recorded exchange"}`,
		);
		console.log(
			`\n${compared} compared, ${same} the same, ${explained} differ with a reason, ${compared - same - explained} without\n`,
		);
		for (const group of unknown) printGroup(group);
		if (unknown.length > 0) console.log("\nWith a reason:\n");
		for (const group of groups) printGroup(group);
		unexplained += unknown.length;
	}
	return unexplained === 0 ? 0 : 1;
};

process.exitCode = await main();
