/** What every command takes: which config file, which port, how many processes. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { everyCommandTakes, refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import { portIn } from "../config/read.ts";
import { commandLine } from "../connect/print.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { LogFormat, LogLevel } from "../runtime/log.ts";
import { coreCount, type HeldSignal } from "../runtime/system.ts";

export interface DatabasePlace {
	readonly url: string;
	readonly authToken: string;
}

export interface Invocation {
	/** The config file as the operator named it, or where it was found. */
	readonly file: string;
	/** No config file was named and none was found: the built-in default is used until there is one. */
	readonly builtIn?: true;
	/** A command that is called here without `--config` would take another config than this one. */
	readonly elsewhere?: true;
	readonly port?: number;
	/** How many processes are to share the port. */
	readonly workers?: number;
	/** Which of them this one is, from 1. Given by the process that looks after them, never by people. */
	readonly worker?: number | undefined;
	/** The database server that whoever looks after the workers has started for them. */
	readonly database?: DatabasePlace | undefined;
	/** The least that is logged, whatever the config says. */
	readonly logLevel?: LogLevel;
	/** Text or JSON, whatever standard error is. */
	readonly logFormat?: LogFormat;
	/** Reloads that are asked for, since before there was anything to reload. */
	readonly reloads?: HeldSignal;
	/** The command's own words. */
	readonly words: readonly string[];
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How the operator calls Portico in this folder, as the launcher knows it. */
export const calledAs = ({ environment }: Invocation): string => environment["PORTICO_CALLED_AS"] ?? "portico";

/** A command of the same config, as the operator would call it here. */
export const commandOf = (invocation: Invocation, words: string): string => {
	const { elsewhere, file } = invocation;
	const named = elsewhere === undefined ? "" : ` ${commandLine(["--config", file])}`;
	return `${calledAs(invocation)} ${words}${named}`;
};

const numberOf = (what: string, text: string, least: number, most: number): number => {
	const number = Number(text);
	if (!/^\d{1,5}$/.test(text) || number < least || number > most)
		throw new Fault(deny("invalid_request", `${what} must be a number from ${least} to ${most}, not "${text}"`));
	return number;
};

/** Variables by which a worker is told of the database server; set by its parent, never by people. */
const placeVariables = { url: "PORTICO_WORKERS_DATABASE", authToken: "PORTICO_WORKERS_DATABASE_TOKEN" } as const;

/** What a worker's environment has besides its parent's. */
export const environmentOfWorker = ({ url, authToken }: DatabasePlace): Readonly<Record<string, string>> => ({
	[placeVariables.url]: url,
	[placeVariables.authToken]: authToken,
});

const placeIn = (environment: Invocation["environment"]): DatabasePlace | undefined => {
	const [url, authToken] = [environment[placeVariables.url], environment[placeVariables.authToken]];
	return url === undefined || authToken === undefined ? undefined : { url, authToken };
};

/** `auto`: as many as there are cores. */
const workersOf = (text: string): number =>
	text === "auto" ? coreCount() : numberOf("--workers, when it is not auto,", text, 1, 256);

const oneOf = <const Word extends string>(what: string, text: string, words: readonly Word[]): Word => {
	const found = words.find((word) => word === text);
	if (found !== undefined) return found;
	return refuseCommand(`${what} must be one of ${words.join(", ")}, not "${text}"${didYouMean(text, words)}`);
};

const usualFiles = ["portico.yaml", "config/portico.yaml", "/etc/portico/portico.yaml"];

/** `worker` is what a supervisor says, never a person. */
const globals = [...everyCommandTakes, "worker"] as const;
type Option = (typeof globals)[number];

const options = new Map<string, Option>([["-c", "config"], ...globals.map((name) => [`--${name}`, name] as const)]);

/** Takes the options of every command out of the words, wherever they stand: `--config FILE`, `--config=FILE`. */
const takeGlobals = (
	argv: readonly string[],
): { readonly words: string[]; readonly taken: Partial<Record<Option, string>> } => {
	const words: string[] = [];
	const taken: Partial<Record<Option, string>> = {};
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? "";
		const equals = word.startsWith("--") ? word.indexOf("=") : -1;
		const name = equals === -1 ? word : word.slice(0, equals);
		const option = options.get(name);
		if (option === undefined) {
			words.push(word);
			continue;
		}
		const value = equals === -1 ? argv[++index] : word.slice(equals + 1);
		if (value === undefined) throw new Fault(deny("invalid_request", `${name} needs a value`));
		taken[option] = value;
	}
	return { words, taken };
};

/** What a command was called with: words over environment over defaults. Throws `Fault` for a number that is none. */
export const readInvocation = (argv: readonly string[], environment: Invocation["environment"]): Invocation => {
	const { words, taken } = takeGlobals(argv);
	const port = taken.port ?? portIn(environment);
	const { "log-level": level, "log-format": format } = taken;
	const found = (environment["PORTICO_CONFIG"] || undefined) ?? usualFiles.find((usual) => existsSync(usual));
	const named = taken.config ?? found;
	const isElsewhere = named !== undefined && (found === undefined || resolve(named) !== resolve(found));
	return {
		file: named ?? "portico.yaml",
		...(named === undefined && { builtIn: true as const }),
		...(isElsewhere && { elsewhere: true as const }),
		words,
		environment,
		...(port !== undefined && { port: numberOf("the port", port, 0, 65_535) }),
		...(taken.workers !== undefined && { workers: workersOf(taken.workers) }),
		...(taken.worker !== undefined && {
			worker: numberOf("--worker", taken.worker, 1, 99_999),
			database: placeIn(environment),
		}),
		...(level !== undefined && { logLevel: oneOf("--log-level", level, ["debug", "info", "warn", "error"]) }),
		...(format !== undefined && { logFormat: oneOf("--log-format", format, ["json", "text"]) }),
	};
};
