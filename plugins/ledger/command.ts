/** `portico usage`: the sums of the ledger on the command line. */
import { parseArgs } from "node:util";
import { asList, asRecord, type Command, deny, Fault } from "#core";

const usage =
	"portico usage [--by token,model,upstream,day] [--from DATE] [--to DATE] [--token ID] [--model NAME] [--json]";

const parse = (words: readonly string[]) => {
	const text = { type: "string" } as const;
	try {
		return parseArgs({
			args: [...words],
			options: { by: text, from: text, to: text, token: text, model: text, json: { type: "boolean" } },
		}).values;
	} catch (error) {
		throw new Fault(deny("invalid_request", `${error instanceof Error ? error.message : "wrong words"}\n\n${usage}`));
	}
};

export const usageCommand: Command = {
	name: "usage",
	summary: "Shows what was used, and what it cost.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { json, ...query } = parse(words);
		const answer = asRecord(await call("GET", `/admin/usage?${new URLSearchParams(query as Record<string, string>)}`));
		if (json === true) return print(JSON.stringify(answer));
		const rows = asList(answer["data"]).map(asRecord);
		const columns = Object.keys(rows[0] ?? { calls: 0 });
		const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? "-")))];
		const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
		for (const cells of lines)
			print(
				cells
					.map((cell, index) => cell.padEnd(widths[index] ?? 0))
					.join("  ")
					.trimEnd(),
			);
	},
};
