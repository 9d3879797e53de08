/** The commands that are the core's own, each with the words it takes. */
import { nearestOption, refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { coreWords } from "../host/offer-faults.ts";
import { tellStarter } from "../runtime/system.ts";
import { addedCommands } from "./administer.ts";
import { connect, connectUsage } from "./connect.ts";
import { asksForHelp, explained, inColumns } from "./explained.ts";
import { init, initUsage } from "./init.ts";
import { check, listPlugins, showConfig, writeSchema } from "./inspect.ts";
import { plugin, pluginUsage } from "./plugin-new.ts";
import { serve } from "./serve.ts";
import type { Invocation } from "./settings.ts";
import { showVersion } from "./version.ts";
import { serveWithWorkers } from "./workers.ts";

type Print = (line: string) => void;

interface CoreCommand {
	readonly name: (typeof coreWords)[number];
	readonly summary: string;
	readonly usage: string;
	/** The words it takes; any other is refused, unless it judges them itself. */
	readonly words: readonly string[] | "any";
	run(invocation: Invocation, print: Print): Promise<void>;
}

const startServing = (invocation: Invocation, print: Print): Promise<void> => {
	const { worker, workers = 1 } = invocation;
	if (worker !== undefined) return serve(invocation, (greeting) => tellStarter({ greeting }));
	return workers > 1 ? serveWithWorkers(invocation, workers, print) : serve(invocation, print);
};

const everywhere = [
	"Every command takes:",
	"  --config FILE   the config file, or PORTICO_CONFIG; without one portico.yaml, config/portico.yaml or /etc/portico/portico.yaml, and where none is, the built-in default",
	"  --help          what the command does",
	"",
	"Exit codes: 0 done; 1 refused or failed, the reason stands on standard error; 128 and more ended by a signal.",
].join("\n");

const refuseWord = (command: string, word: string, taken: readonly string[]): never => {
	const options = taken.map((one) => one.replace(/^--/, ""));
	const near = word.startsWith("--") ? nearestOption(word, options) : didYouMean(word, taken);
	return refuseCommand(
		`portico ${command} takes no ${JSON.stringify(word)}${near}; portico ${command} --help tells what it takes`,
	);
};

const help = async (invocation: Invocation, print: Print): Promise<void> => {
	const added = await addedCommands(invocation);
	const all = [...coreCommands, ...added];
	const [asked, ...more] = invocation.words;
	if (more.length > 0) refuseWord("help", more[0] ?? "", []);
	if (asked !== undefined) {
		const command = all.find(({ name }) => name === asked);
		if (command) return print(explained(command));
		const near = didYouMean(
			asked,
			all.map(({ name }) => name),
		);
		throw new Fault(deny("invalid_request", `there is no command "${asked}"${near}; portico help lists what there is`));
	}
	const width = Math.max(...all.map(({ name }) => name.length));
	print("portico [COMMAND] [--help]\n");
	for (const { name, summary } of all) print(inColumns(`  ${name.padEnd(width)}  ${summary}`));
	print(`\n${inColumns(everywhere)}`);
};

export const coreCommands: readonly CoreCommand[] = [
	{
		name: "serve",
		summary: "Serves; what is done when no command is named.",
		usage: [
			"portico [serve] [--port N] [--workers N | auto] [--log-level LEVEL] [--log-format FORMAT]",
			"",
			"  --port N              another port than the config's, or PORTICO_PORT; 0 picks a free one",
			"  --workers N           so many processes on one port, or with auto one for each core; a database file is taken over by the packaged database server, once",
			"  --log-level LEVEL     the least that is logged: debug, info, warn or error, whatever the config says",
			"  --log-format FORMAT   text or json; unless said, text on a terminal (in colours without NO_COLOR), else json",
			"",
			"SIGHUP reads the config anew; SIGTERM and SIGINT let running calls finish, and a second SIGINT (Ctrl-C) ends them.",
		].join("\n"),
		words: [],
		run: startServing,
	},
	{
		name: "init",
		summary: "Writes a config to begin with.",
		usage: initUsage,
		words: ["--openai", "--anthropic", "--google"],
		run: init,
	},
	{
		name: "check",
		summary: "Says what is wrong with the config, all at once.",
		usage: "portico check\n\nBuilds all that would be served and starts nothing. Exit code 1 when anything is wrong.",
		words: [],
		run: check,
	},
	{
		name: "connect",
		summary: "Tells what a client must be told to use this gateway.",
		usage: connectUsage,
		words: "any",
		run: connect,
	},
	{
		name: "schema",
		summary: "Writes the config's JSON Schema, for editors.",
		usage: [
			"portico schema [--check | -]",
			"",
			"Writes portico.schema.json beside the config file.",
			"  --check   only says whether the one there is fresh",
			"  -         prints it",
		].join("\n"),
		words: ["--check", "-"],
		run: writeSchema,
	},
	{
		name: "plugins",
		summary: "Lists the plugins: what they give, need and answer.",
		usage: "portico plugins [--json]",
		words: ["--json"],
		run: listPlugins,
	},
	{
		name: "plugin",
		summary: "Writes a plugin to begin with.",
		usage: pluginUsage,
		words: "any",
		run: plugin,
	},
	{
		name: "print-config",
		summary: "Prints the config as it is understood, without secrets.",
		usage: "portico print-config",
		words: [],
		run: showConfig,
	},
	{
		name: "version",
		summary: "Tells version, commit, database schema and runtime.",
		usage: "portico version",
		words: [],
		run: showVersion,
	},
	{
		name: "help",
		summary: "Lists the commands, or explains one.",
		usage: "portico help [COMMAND]",
		words: "any",
		run: help,
	},
];

/** Runs one of them. Throws `Fault` for a word that it does not take. */
export const runCoreCommand = async (command: CoreCommand, invocation: Invocation, print: Print): Promise<void> => {
	const { words } = invocation;
	if (asksForHelp(words)) return print(explained(command));
	const { words: taken } = command;
	const unknown = taken === "any" ? undefined : words.find((word) => !taken.includes(word));
	if (unknown !== undefined) refuseWord(command.name, unknown, taken === "any" ? [] : taken);
	await command.run(invocation, print);
};
