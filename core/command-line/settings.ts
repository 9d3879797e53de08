/** What every command takes: which config file, which port. */
import { existsSync } from "node:fs";
import { deny, Fault } from "../fault.ts";

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

/** Takes `--config FILE`, `-c FILE` and `--port N` out of the words, wherever they stand. */
export const readInvocation = (argv: readonly string[], environment: Invocation["environment"]): Invocation => {
	const words: string[] = [];
	let file = environment["PORTICO_CONFIG"];
	let port = environment["PORTICO_PORT"] ? portOf(environment["PORTICO_PORT"]) : undefined;
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? "";
		const [name, inline] = word.startsWith("--") ? word.split(/=(.*)/s) : [word];
		if (name !== "--config" && name !== "-c" && name !== "--port") words.push(word);
		else {
			const value = inline ?? argv[++index];
			if (value === undefined) throw new Fault(deny("invalid_request", `${name} needs a value`));
			if (name === "--port") port = portOf(value);
			else file = value;
		}
	}
	file ??= usualFiles.find((usual) => existsSync(usual)) ?? "config/portico.yaml";
	return { file, words, environment, ...(port !== undefined && { port }) };
};
