/** `portico status`: whether the server itself is well, and what to do where it is not. */
import { parseWords } from "../config/command-words.ts";
import type { Command } from "../contract/command.ts";
import { deny, Fault } from "../contract/fault.ts";
import { asList, asNumber, asRecord } from "../neutral/json.ts";

const usage = (): string => "portico status [--json]";

export const statusCommand: Command = {
	name: "status",
	summary: "Says whether the server itself is well, and what to do if not.",
	usage,
	async run({ words, call, print, server }) {
		const { json } = parseWords({ args: [...words], options: { json: { type: "boolean" } } }, usage()).values;
		if (server === undefined)
			throw new Fault(deny("conflict", "no server runs with this config and data folder; portico serve starts one"));
		const answer = asRecord(await call("GET", "/admin/troubles"));
		const troubles = asList(answer["data"]).map(asRecord);
		if (json === true) return print(JSON.stringify(answer));
		const workers = asNumber(answer["workers"]) ?? 1;
		const all = workers > 1 ? ` All ${workers} workers say so.` : "";
		if (troubles.length === 0)
			print(`The server is well: its database answers, its config is the file's, and no plugin failed of late.${all}`);
		for (const { what, since, message, advice, workers: some } of troubles) {
			const whose = some === undefined ? "" : ` of worker ${asList(some).map(String).join(", ")} of ${workers}`;
			print(`${String(what)}${whose}: ${String(message)}`);
			print(`  since ${new Date(asNumber(since) ?? 0).toISOString()}`);
			print(`  what to do: ${String(advice)}`);
		}
	},
};
