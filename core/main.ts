/** The command line: the core's own commands, and what plugins add. The only `process.exit`. */

import { administer } from "./command-line/administer.ts";
import { coreCommands, runCoreCommand } from "./command-line/core-commands.ts";
import { inColumns } from "./command-line/explained.ts";
import { readInvocation } from "./command-line/settings.ts";
import { isFault } from "./contract/fault.ts";
import { describe, withPlace } from "./errors/describe.ts";
import { systemRefusal } from "./errors/system-refusal.ts";
import { lookup } from "./neutral/json.ts";
import {
	endWithLauncher,
	environment,
	forgetProxies,
	holdSignal,
	onStrayFailure,
	tellStarter,
} from "./runtime/system.ts";
import { harmless, say } from "./runtime/terminal.ts";
import { shareModules } from "./share.ts";

const print = (line: string): void => console.log(harmless(line));

/** Other words for the same. */
const meant = lookup<string>({ "--version": "version", "-v": "version", "--help": "help", "-h": "help" });

const run = async (): Promise<void> => {
	const invocation = readInvocation(process.argv.slice(2), environment());
	const [first = "serve", ...rest] = invocation.words;
	const command = coreCommands.find(({ name }) => name === (meant[first] ?? first));
	const reloads = command?.name === "serve" ? { reloads: holdSignal("SIGHUP") } : {};
	tellStarter({ hears: true });
	if (command) await runCoreCommand(command, { ...invocation, ...reloads, words: rest }, print);
	else
		await administer(
			invocation,
			coreCommands.map(({ name }) => name),
			print,
			say,
		);
};

/** What follows a refusal is how the command is called. */
const withUsage = (message: string): string => {
	const [refusal = "", ...usage] = message.split("\n\n");
	return [refusal, ...usage.map(inColumns)].join("\n\n");
};

/** Of what nobody foresaw the runtime would show the source too, which is one long line in what is built. */
const wordsOf = (error: unknown): string => {
	if (!(error instanceof Error)) return String(error);
	const refused = systemRefusal(error);
	if (refused !== undefined) return refused;
	// The system's other refusals say all there is in their message.
	return isFault(error) || "syscall" in error ? withUsage(error.message) : (error.stack ?? error.message);
};

const start = async (): Promise<void> => {
	try {
		const ranElsewhere = await shareModules();
		if (ranElsewhere !== undefined) process.exit(ranElsewhere);
		await run();
		process.exit(0);
	} catch (error) {
		say(wordsOf(error));
		process.exit(1);
	}
};

// Nothing is left that could happen, and the work has not ended: that is no success.
process.once("beforeExit", () => {
	say("portico waits for something that never comes, most likely in a plugin, and ends");
	process.exit(1);
});
// A plugin's, while it is loaded and started or a command runs; what serves tells the log.
onStrayFailure((error) => {
	const words = withPlace(describe(error), error);
	say(`something failed that nobody waited for, most likely in a plugin: ${words}`);
});
forgetProxies();
endWithLauncher();
// Not awaited: what is built into one file may wait for nothing at its top.
void start();
