/** `portico status`: whether the server and its upstreams are well, and what to do where they are not. */
import { parseWords } from "../config/command-words.ts";
import type { Command } from "../contract/command.ts";
import { deny, Fault } from "../contract/fault.ts";
import { asList, asNumber, asRecord, asText, type WireRecord } from "../neutral/json.ts";

/** Throws `Fault`. */
export const refuseWithoutServer = (): never => {
	throw new Fault(deny("conflict", "no server runs with this config and data folder; portico serve starts one"));
};

const usage = (): string =>
	[
		"portico status [--json]",
		"",
		"Exit code 0: the server is well and no upstream fails (a key may rest beside others that are used, and one that failed may not have been asked for an hour); 1: it is not so, or no server runs or answers.",
	].join("\n");

/** `workers`: how many there are, of which only some have it. */
export const troubleLines = (
	{ what, since, message, advice, workers: some }: WireRecord,
	workers: number,
): string[] => {
	const whose = some === undefined ? "" : ` of worker ${asList(some).map(String).join(", ")} of ${workers}`;
	return [
		`${String(what)}${whose}: ${String(message)}`,
		`  since ${new Date(asNumber(since) ?? 0).toISOString()}`,
		`  what to do: ${String(advice)}`,
	];
};

const stateOf = ({ of, circuit, failing }: WireRecord): string | undefined => {
	if (circuit === "open") return "fails, and calls go elsewhere where they can";
	if (circuit !== "half-open") return undefined;
	const next = of === undefined ? "the next call" : "the next request";
	return failing === true
		? `failed, and ${next} tries it again`
		: `failed, and nothing has asked it for an hour; ${next} does`;
};

const restingKeys = (keys: unknown): string | undefined => {
	const resting = asList(keys).flatMap((used, index) => (used === false ? [index + 1] : []));
	if (resting.length === 0) return undefined;
	return resting.length === 1 ? `its key ${resting[0]} rests` : `its keys ${resting.join(", ")} rest`;
};

const upstreamLines = (one: WireRecord): string[] => {
	const { upstream, of, keys, failingSince, lastFailure } = one;
	const whose = of === undefined ? "" : ` of ${String(of)}`;
	const { message, advice } = asRecord(lastFailure);
	const state = [stateOf(one), restingKeys(keys)].filter((words) => words !== undefined).join("; ");
	const what = asText(advice) ?? "portico calls shows what became of its calls, portico explain ID what it said.";
	return [
		`upstream ${String(upstream)}${whose}: ${state}${message === undefined ? "" : `. The last failure: ${String(message)}`}`,
		...(failingSince === undefined ? [] : [`  since ${String(failingSince)}`]),
		`  what to do: ${what}`,
	];
};

/** For whoever reads no words: scripts and monitors go by the exit code. Throws `Fault`. */
const refuseUnlessWell = (troubles: number, upstreams: readonly WireRecord[]): void => {
	const failing = upstreams.filter(({ failing }) => failing === true).length;
	if (troubles === 0 && failing === 0) return;
	throw new Fault(deny("conflict", `not well: troubles of the server ${troubles}, upstreams that fail ${failing}`));
};

export const statusCommand: Command = {
	name: "status",
	summary: "Says whether the server and its upstreams are well, and what to do if not.",
	usage,
	async run({ words, call, print, server }) {
		const { json } = parseWords({ args: [...words], options: { json: { type: "boolean" } } }, usage()).values;
		if (server === undefined) return refuseWithoutServer();
		const answer = asRecord(await call("GET", "/admin/troubles"));
		const troubles = asList(answer["data"]).map(asRecord);
		const upstreams = asList(answer["upstreams"]).map(asRecord);
		if (json === true) {
			print(JSON.stringify(answer));
			return refuseUnlessWell(troubles.length, upstreams);
		}
		const workers = asNumber(answer["workers"]) ?? 1;
		const all = workers > 1 ? ` All ${workers} workers say so.` : "";
		if (troubles.length === 0)
			print(
				`The server${upstreams.length > 0 ? " itself" : ""} is well: its database answers, its config is the file's, and no plugin failed of late.${all}`,
			);
		const lines = [...troubles.flatMap((one) => troubleLines(one, workers)), ...upstreams.flatMap(upstreamLines)];
		for (const line of lines) print(line);
		refuseUnlessWell(troubles.length, upstreams);
	},
};
