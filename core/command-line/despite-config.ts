/** A command while the config file is refused: a server that runs is asked all the same, for it goes on with what it read before. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { refuseCommand } from "../config/command-words.ts";
import type { CallAdmin, Command } from "../contract/command.ts";
import { placesOf } from "../host/blueprint.ts";
import { asRecord, asText } from "../neutral/json.ts";
import { overNetwork, type Server, tokenOf } from "./admin-calls.ts";
import { builtInCommands } from "./built-in-commands.ts";
import { databaseCommand, databaseFilesWork } from "./database.ts";
import { asksForHelp, explained } from "./explained.ts";
import { readingOf } from "./open.ts";
import { reloadCommand } from "./reload.ts";
import { runningServer } from "./running-server.ts";
import type { Invocation } from "./settings.ts";

/** Where a server of this config file serves, and its data folder. Undefined where none is found. */
const serverOf = (invocation: Invocation): (Server & { readonly dataFolder: string }) | undefined => {
	const { url, dataFolder } = placesOf(readingOf(invocation));
	const server = runningServer(url, dataFolder);
	return server && { ...server, dataFolder };
};

/** A file that there is not may be a name mistyped: the server of its folder is asked only where it was started with that very file. */
const refuseOther = async (call: CallAdmin, file: string): Promise<void> => {
	if (existsSync(file)) return;
	const started = asText(asRecord(await call("GET", "/admin/config"))["file"]);
	if (started !== undefined && started !== resolve(file))
		refuseCommand(`that server runs on ${started}: name that file with --config, or the one you mean`);
};

interface DespiteConfig {
	readonly invocation: Invocation;
	/** The core's commands that ask the server. */
	readonly own: readonly Command[];
	/** Why the config file is refused. */
	readonly complaint: string;
	print(line: string): void;
	tell(line: string): void;
}

/** Runs a built-in command at the running server. False where no server runs, or where the command wants the config itself. */
export const runDespiteConfig = async ({
	invocation,
	own,
	complaint,
	print,
	tell,
}: DespiteConfig): Promise<boolean> => {
	const [name, ...words] = invocation.words;
	let server: ReturnType<typeof serverOf>;
	try {
		server = serverOf(invocation);
	} catch {
		// Where the file leads is in doubt; what is wrong with the file is what its reader can mend.
		return false;
	}
	if (server === undefined) return false;
	const command = [...own, ...(await builtInCommands())].find((one) => one.name === name);
	if (command === undefined || (command === databaseCommand && databaseFilesWork(words))) return false;
	if (asksForHelp(words)) {
		print(explained(command));
		return true;
	}
	// The server says the same of it.
	if (command !== reloadCommand)
		tell(`warning: the config file is refused, and the server goes on without it:\n${complaint}`);
	tell(`asking the server at ${server.address}`);
	const call = await overNetwork(server, tokenOf(invocation, server.dataFolder));
	await refuseOther(call, invocation.file);
	await command.run({ words, call, print, server: server.address });
	return true;
};
