/** Commands that plugins add to the command line. Each is a thin client of the admin API, so it works whether or not the server runs. */
import { slot } from "./token.ts";

/** Calls an admin route of the running server, or of one started for this one command. Throws `Fault` on an error answer. */
export type CallAdmin = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** What a command is run with. */
export interface CommandRun {
	/**
	 * Words after the command's name, options still among them; parse them with `parseWords`. What every command takes is not:
	 * `--config`, `--port`, `--workers`, `--log-level`, `--log-format` and their values.
	 */
	readonly words: readonly string[];
	readonly call: CallAdmin;
	/** Where the server runs that is asked; undefined where none does, and what is asked was started for this command. */
	readonly server?: string;
	/** Prints one line on standard output. */
	print(line: string): void;
}

/**
 * A word of the command line.
 *
 * @example
 * const usage = "portico weather [--town TOWN]";
 * add(commands, {
 * 	name: "weather",
 * 	summary: "Tells the weather.",
 * 	usage: () => usage,
 * 	async run({ words, call, print }) {
 * 		const { values } = parseWords({ args: [...words], options: { town: { type: "string" } } }, usage);
 * 		const { weather } = asRecord(await call("GET", `/admin/weather?town=${values.town ?? ""}`));
 * 		print(String(weather));
 * 	},
 * });
 */
export interface Command {
	/** The first word: `token`, `usage`. */
	readonly name: string;
	readonly summary: string;
	/** Shown for `portico NAME --help`. */
	usage(): string;
	/** Throws `Fault` for wrong words; its message is printed and the exit code is 1. */
	run(command: CommandRun): Promise<void>;
}

/** Words of the command line. */
export const commands = slot<Command>("commands");

/**
 * What a config says and probably does not mean: sentences that name the setting and say what to do. `portico check`
 * prints them, a start logs them; nothing is refused.
 *
 * @example
 * add(warnings, "weather.url is plain http: the key can be read on the way; write https.");
 */
export const warnings = slot<string>("warnings");
