/** The words of a command as options and the rest. A mistyped option is answered with the nearest, and how it goes. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { deny, Fault } from "../contract/fault.ts";
import { didYouMean } from "./complaint.ts";

/** What every command takes besides its own. */
export const everyCommandTakes = ["config", "port", "workers", "log-level", "log-format"] as const;

/** A setting's key as an option, without dashes: `expiresAt` as `expires-at`. */
export const flagOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The nearest of the options, by their names without dashes, that a mistyped one may mean. */
export const nearestOption = (mistyped: string, names: readonly string[]): string =>
	didYouMean(
		mistyped.replace(/=.*$/s, ""),
		[...names, ...everyCommandTakes, "help"].map((name) => `--${name}`),
	);

/** The option that the runtime's words refuse, with its dashes. */
const unknownOption = (said: string): string | undefined => /^Unknown option '(--[^']+)'$/.exec(said)?.[1];

/** What the runtime says of an option's value, as the other commands say it. */
const ofValue = (said: string): string | undefined => {
	const [, option, what] =
		/^Option '(?:-\w, )?(--[\w-]+)[^']*' (argument missing|argument is ambiguous|does not take an argument)/.exec(
			said,
		) ?? [];
	if (option === undefined) return undefined;
	if (what === "does not take an argument") return `${option} takes no value`;
	return `${option} needs a value${what === "argument missing" ? "" : `; one that begins with a dash is written ${option}=-…`}`;
};

/** The runtime goes on about words that begin with a dash; nobody who mistyped an option asks for that. */
const whatIsWrong = (error: unknown): string => {
	if (!(error instanceof Error)) return "these words cannot be read";
	const [, more] = /^Unexpected argument '(.*?)'\. /s.exec(error.message) ?? [];
	if (more !== undefined) return `it takes no ${JSON.stringify(more)}`;
	return ofValue(error.message) ?? error.message.split(". ")[0] ?? "";
};

/** Throws the refusal of a command: its message is printed, with how it goes where that is given, and the exit code is 1. */
export const refuseCommand = (message: string, usage?: string): never => {
	throw usage === undefined ? new Fault(deny("invalid_request", message)) : misused(message, usage);
};

/** How a command is called, without what each of its words means: below all of that nobody would see what was wrong. */
const briefly = (usage: string): string => {
	const [calls = "", ...meanings] = usage.split("\n\n");
	const [command] = /^portico \S+/.exec(calls) ?? [];
	return meanings.length === 0 || command === undefined ? usage : `${calls}\n\n${command} --help explains it.`;
};

/** The refusal of words that a command does not take, with how it goes. */
export const misused = (message: string, usage: string): Fault =>
	new Fault(deny("invalid_request", `${message}\n\n${briefly(usage)}`));

/** Options that take a word each, as `parseWords` has them. */
export const textOptions = <const Name extends string>(...names: readonly Name[]) =>
	Object.fromEntries(names.map((name) => [name, { type: "string" }])) as Readonly<Record<Name, { type: "string" }>>;

/** `parseArgs` of `node:util`. Throws `Fault` (`invalid_request`) that ends with how `usage` begins; its `parameter` is an option that is not taken. */
export const parseWords = <const Config extends ParseArgsConfig>(
	config: Config,
	usage: string,
): ReturnType<typeof parseArgs<Config>> => {
	try {
		return parseArgs(config);
	} catch (error) {
		const said = whatIsWrong(error);
		const option = unknownOption(said);
		if (option === undefined) throw misused(said, usage);
		const near = nearestOption(option, Object.keys(config.options ?? {}));
		const message = `there is no option "${option}" here${near}\n\n${briefly(usage)}`;
		throw new Fault(deny("invalid_request", message, { parameter: option }));
	}
};
