/** What every command takes: which config file, which port. */
import { existsSync } from "node:fs";
import { deny, Fault } from "../../foundation/fault.ts";

export interface Invocation {
	/** The config file as the operator named it. */
	readonly file: string;
	readonly port?: number;
	/** The command's own words. */
	readonly words: readonly string[];
	readonly environment: Readonly<Record<string, string | undefined>>;
}

const portOf = (text: string | undefined): number => {
	const port = Number(text);
	if (!/^\d{1,5}$/.test(text ?? "") || port > 65_535)
		throw new Fault(deny("invalid_request", `the port must be a number from 0 to 65535, not "${text ?? ""}"`));
	return port;
};

const usualFiles = ["config/portico.yaml", "portico.yaml", "/etc/portico/portico.yaml"];

const globalOptions: Readonly<Record<string, "file" | "port">> = { "--config": "file", "-c": "file", "--port": "port" };

/** Takes the options of every command out of the words, wherever they stand: `--config FILE`, `--config=FILE`. */
const takeGlobals = (
	argv: readonly string[],
): { readonly words: string[]; readonly taken: Partial<Record<"file" | "port", string>> } => {
	const words: string[] = [];
	const taken: Partial<Record<"file" | "port", string>> = {};
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? "";
		const equals = word.startsWith("--") ? word.indexOf("=") : -1;
		const name = equals === -1 ? word : word.slice(0, equals);
		const option = globalOptions[name];
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

/** What a command was called with: words over environment over defaults. Throws `Fault` for a port that is none. */
export const readInvocation = (argv: readonly string[], environment: Invocation["environment"]): Invocation => {
	const { words, taken } = takeGlobals(argv);
	const port = taken.port ?? (environment["PORTICO_PORT"] || undefined);
	const file =
		taken.file ??
		environment["PORTICO_CONFIG"] ??
		usualFiles.find((usual) => existsSync(usual)) ??
		"config/portico.yaml";
	return { file, words, environment, ...(port !== undefined && { port: portOf(port) }) };
};
