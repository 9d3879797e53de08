/** `portico reload`: has the running server read its config anew, and says what came of it, which a signal cannot. */
import { parseWords, refuseCommand } from "../config/command-words.ts";
import type { Command } from "../contract/command.ts";
import { asList, asNumber, asRecord } from "../neutral/json.ts";
import { refuseWithoutServer, troubleLines } from "./status.ts";

const usage = (): string =>
	"portico reload\n\nWhat runs stays where the config is refused, which is told with line and column. As SIGHUP does, it reaches all workers.";

export const reloadCommand: Command = {
	name: "reload",
	summary: "Has the server read its config anew, and says whether it took it.",
	usage,
	async run({ words, call, print, server }) {
		parseWords({ args: [...words], options: {} }, usage());
		if (server === undefined) return refuseWithoutServer();
		const { reloaded, complaints } = asRecord(await call("POST", "/admin/reload"));
		if (reloaded !== true)
			return refuseCommand(
				[...asList(complaints).map(String), "the server goes on with the config that it had"].join("\n"),
			);
		print("the server runs on the config as it is now");
		const { data, workers } = asRecord(await call("GET", "/admin/troubles"));
		// What counts from the next start on only.
		const left = asList(data)
			.map(asRecord)
			.filter(({ what }) => what === "config");
		for (const line of left.flatMap((trouble) => troubleLines(trouble, asNumber(workers) ?? 1))) print(line);
	},
};
