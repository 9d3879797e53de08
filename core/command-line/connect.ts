/** `portico connect NAME`: what a client must be told to use this gateway. Needs neither token nor server. */
import { homedir } from "node:os";
import { parseWords, refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import { type Client, type Gateway, keyPlaceholder, modelPlaceholder, type Setting } from "../connect/client.ts";
import { clients } from "../connect/clients.ts";
import { commandLine, connectText, exportLines } from "../connect/print.ts";
import { usualModel } from "../connect/usual-model.ts";
import { writeSettings } from "../connect/write.ts";
import { protocols } from "../contract/protocol.ts";
import { router } from "../contract/router.ts";
import type { Blueprint } from "../host/blueprint.ts";
import type { Generation } from "../host/generation.ts";
import { addressOf } from "../runtime/serve.ts";
import { say } from "../runtime/terminal.ts";
import { inColumns } from "./explained.ts";
import { buildOnly } from "./inspect.ts";
import { blueprintOf, dataFolderOf } from "./open.ts";
import { runningServer } from "./running-server.ts";
import type { Invocation } from "./settings.ts";

const names = clients.map(({ name }) => name);
const width = Math.max(...names.map(({ length }) => length));

export const connectUsage = [
	"portico connect NAME [--write] [--key KEY] [--model MODEL] [--address URL]",
	"",
	"Prints what a client must be told to use this gateway:",
	...clients.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`),
	"",
	"  --write         puts it into the client's own files, beside what stands there, and keeps a copy of each",
	`  --key KEY       the token the client is to use, or PORTICO_KEY; without one the text says ${keyPlaceholder}`,
	"  --model MODEL   the model it is to ask for; without one the first of the config that answers in words",
	"  --address URL   where the client reaches this gateway; without one where it runs, or would by its config",
].join("\n");

const options = {
	write: { type: "boolean" },
	key: { type: "string" },
	model: { type: "string" },
	address: { type: "string" },
} as const;

/** By a slip of the hand, or by its beginning. */
const nearest = (word: string): string => {
	const begun = word === "" ? undefined : names.find((name) => name.startsWith(word.toLowerCase()));
	return didYouMean(word, names) || (begun === undefined ? "" : ` (did you mean "${begun}"?)`);
};

const valuesOf = (words: readonly string[]) =>
	parseWords({ args: [...words], options, allowPositionals: true }, connectUsage);

/** A port that the system is to choose is told as `PORT`, until it has chosen one. */
const configuredAddress = ({ config: { server } }: Blueprint): string =>
	addressOf(server.host, server.port === 0 ? "PORT" : server.port, server.tls !== undefined);

/** Whoever started the server may have given it another port than the config does. */
const usualAddress = (blueprint: Blueprint): string =>
	runningServer(blueprint.config.database.url, dataFolderOf(blueprint))?.address ?? configuredAddress(blueprint);

const givenAddress = (text: string): string =>
	/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/.test(text)
		? text.replace(/\/+$/, "")
		: refuseCommand(`--address must be a web address such as https://portico.example.com, not ${JSON.stringify(text)}`);

/** What a client asks for must be served; its settings are right all the same once it is. */
const warnUnserved = ({ title, protocol }: Client, generation: Generation): void => {
	if (protocol === undefined || generation.all(protocols).some(({ name }) => name === protocol)) return;
	say(
		`warning: ${title} speaks the protocol ${protocol}, which this config does not serve; add to its plugins: - use: ${protocol}`,
	);
};

/** What is left to a person after the files are written. */
const leftToDo = (setting: Setting): readonly string[] => {
	if (setting.kind === "command") return [`run  ${commandLine(setting.words)}`];
	if (setting.kind === "steps") return setting.steps;
	return setting.kind === "environment" && setting.file === undefined ? exportLines(setting.variables) : [];
};

const write = (client: Client, gateway: Gateway, home: string, print: (line: string) => void): void => {
	const settings = client.settings(gateway);
	for (const { file, copy, changed } of writeSettings(settings, home)) {
		if (!changed) print(`${file} says it already`);
		else print(`wrote ${file}${copy === undefined ? "" : `; as it was: ${copy}`}`);
	}
	const left = settings.flatMap(leftToDo);
	if (left.length > 0) print(["left to you:", ...left.map((line) => `  ${line}`)].join("\n"));
	if (gateway.key === keyPlaceholder)
		print(`put the token where ${keyPlaceholder} stands; portico token create --name ${client.name} makes one`);
};

export const connect = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	const { values, positionals } = valuesOf(invocation.words);
	const [name, extra] = positionals;
	if (name === undefined) return print(inColumns(connectUsage));
	if (extra !== undefined) return refuseCommand(`portico connect takes one name, not ${JSON.stringify(extra)} too`);
	const client =
		clients.find((one) => one.name === name) ??
		refuseCommand(`there is no client ${JSON.stringify(name)}${nearest(name)}; there are: ${names.join(", ")}`);
	const blueprint = await blueprintOf(invocation, true);
	const generation = await buildOnly(blueprint);
	warnUnserved(client, generation);
	const gateway = {
		address: values.address === undefined ? usualAddress(blueprint) : givenAddress(values.address),
		key: values.key ?? (invocation.environment["PORTICO_KEY"] || keyPlaceholder),
		model: values.model ?? usualModel(generation.given(router)?.models() ?? []) ?? modelPlaceholder,
	};
	if (values.write === true) return write(client, gateway, invocation.environment["HOME"] ?? homedir(), print);
	print(connectText(client, gateway));
};
