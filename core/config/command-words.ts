/** The words of a command as options and the rest. A mistyped option is answered with the nearest, and how it goes. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { deny, Fault } from "../contract/fault.ts";
import { didYouMean } from "./complaint.ts";

/** What every command takes besides its own. */
export const everyCommandTakes = ["config", "port", "workers", "log-level", "log-format"] as const;

/** The nearest of the options, by their names without dashes, that a mistyped one may mean. */
export const nearestOption = (mistyped: string, names: readonly string[]): string =>
	didYouMean(
		mistyped.replace(/=.*$/s, ""),
		[...names, ...everyCommandTakes, "help"].map((name) => `--${name}`),
	);

/** The runtime goes on about words that begin with a dash; nobody who mistyped an option asks for that. */
const whatIsWrong = (error: unknown, options: ParseArgsConfig["options"] = {}): string => {
	const said = error instanceof Error ? (error.message.split(". ")[0] ?? "") : "these words cannot be read";
	const unknown = /^Unknown option '(--[^']+)'$/.exec(said)?.[1];
	if (unknown === undefined) return said;
	return `there is no option "${unknown}" here${nearestOption(unknown, Object.keys(options))}`;
};

/** `parseArgs` of `node:util`. Throws `Fault` (`invalid_request`) that ends with `usage`. */
export const parseWords = <const Config extends ParseArgsConfig>(
	config: Config,
	usage: string,
): ReturnType<typeof parseArgs<Config>> => {
	try {
		return parseArgs(config);
	} catch (error) {
		throw new Fault(deny("invalid_request", `${whatIsWrong(error, config.options)}\n\n${usage}`));
	}
};
