/** Commands that plugins add, and `db`: they speak to the running server, or start Portico's parts themselves when none runs. */
import { existsSync, readFileSync } from "node:fs";
import { nearestOption } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import { type CallAdmin, type Command, commands } from "../contract/command.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { adminTokenFile } from "../host/node-files.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";
import { fetchOwn } from "../runtime/system.ts";
import { databaseFile } from "../store/connection.ts";
import type { Owner } from "../store/open.ts";
import { databaseCommand, databaseFilesWork } from "./database.ts";
import { buildOnly } from "./inspect.ts";
import { blueprintOf, dataFolderOf, type Opened, openGateway } from "./open.ts";
import { isTakenOver } from "./own-database.ts";
import type { Invocation } from "./settings.ts";
import { statusCommand } from "./status.ts";

const refuse = (message: string): never => {
	throw new Fault(deny("invalid_request", message));
};

/** The answer as JSON, or a `Fault` with its message. */
const answerOf = async (response: Response): Promise<unknown> => {
	const body = parseJson(await response.text());
	if (response.ok) return body;
	return refuse(asText(asRecord(asRecord(body)["error"])["message"]) ?? `the server answered ${response.status}`);
};

const requestOf = (address: string, token: string, method: string, path: string, body: unknown): Request =>
	new Request(address + path, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});

const overNetwork =
	(address: string, token: string): CallAdmin =>
	async (method, path, body) =>
		await answerOf(await fetchOwn(requestOf(address, token, method, path, body)));

const inProcess =
	({ portico }: Opened, token: string): CallAdmin =>
	async (method, path, body) =>
		await answerOf(
			await portico.handle(requestOf("http://localhost", token, method, path, body), {
				address: "127.0.0.1",
				holdOpen: () => () => undefined,
			}),
		);

const tokenOf = (invocation: Invocation, dataFolder: string): string =>
	invocation.environment["PORTICO_ADMIN_TOKEN"] || readFileSync(adminTokenFile(dataFolder), "utf8").trim();

class Held extends Error {
	readonly owner: Owner;
	constructor(owner: Owner) {
		super("held");
		this.owner = owner;
	}
}

/** What a command does, and then how it is called. */
export const explained = ({ summary, usage }: { readonly summary: string; readonly usage: string }): string =>
	`${summary}\n\n${usage}`;

const addedBy = async (blueprint: Blueprint): Promise<readonly Command[]> => [
	databaseCommand,
	statusCommand,
	...(await buildOnly(blueprint)).all(commands),
];

/** Lists the commands that the plugins of this config add. */
export const addedCommands = async (invocation: Invocation): Promise<readonly Command[]> =>
	await addedBy(await blueprintOf(invocation, true));

/** Only serving makes a database: a command from the wrong folder would make a second, which the server does not know. */
const refuseWithoutDatabase = ({ config, file }: Blueprint, builtIn: boolean): void => {
	const path = databaseFile(config.database.url);
	if (path === undefined || existsSync(path) || isTakenOver(path)) return;
	refuse(
		`there is no database at ${path}, which ${builtIn ? "the built-in default" : file} names; portico serve makes it, or name the config with --config FILE`,
	);
};

/** Runs a command that is not the core's own. Throws `Fault` for a word no plugin knows. */
export const administer = async (
	invocation: Invocation,
	coreNames: readonly string[],
	print: (line: string) => void,
	tell: (line: string) => void,
): Promise<void> => {
	const [name = "", ...words] = invocation.words;
	const blueprint = await blueprintOf(invocation, true);
	const added = await addedBy(blueprint);
	const names = [...added.map((one) => one.name), ...coreNames];
	const command =
		added.find((one) => one.name === name) ??
		refuse(
			name.startsWith("-")
				? `there is no option "${name}"${nearestOption(name, ["version"])}; portico help lists what there is`
				: `there is no command "${name}"${didYouMean(name, names)}; portico help lists what there is`,
		);
	if (words.includes("--help") || words.includes("-h"))
		return print(explained({ summary: command.summary, usage: command.usage() }));
	const files = command === databaseCommand ? databaseFilesWork(words) : undefined;
	if (files) return await files(blueprint, print);
	refuseWithoutDatabase(blueprint, invocation.builtIn === true);
	let opened: Opened;
	try {
		opened = await openGateway(invocation, false, (owner) => {
			throw new Held(owner);
		});
	} catch (error) {
		if (!(error instanceof Held)) throw error;
		const { address, pid } = error.owner;
		if (address === undefined)
			return refuse(`the database is in use by process ${pid}, which does not serve yet; try again in a moment`);
		const call = overNetwork(address, tokenOf(invocation, dataFolderOf(blueprint)));
		tell(`asking the server at ${address}`);
		return await command.run({ words, call, print });
	}
	const { url } = blueprint.config.database;
	tell(`database ${databaseFile(url) ?? new URL(url).host}; no server has it open`);
	try {
		await command.run({ words, call: inProcess(opened, tokenOf(invocation, opened.dataFolder)), print });
	} finally {
		await opened.close();
	}
};
