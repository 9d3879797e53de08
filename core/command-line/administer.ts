/** Commands that plugins add, and `db`: they speak to the running server, or start Portico's parts themselves when none runs. */
import { accessSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { nearestOption, refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import type { Command } from "../contract/command.ts";
import { deny, Fault, isFault } from "../contract/fault.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { nodeLock } from "../host/node-files.ts";
import { databaseFile } from "../store/connection.ts";
import { holderOf } from "../store/lock.ts";
import type { Owner } from "../store/open.ts";
import { isTakenOver, refuseLost } from "../store/taken-over.ts";
import { inProcess, overNetwork, tokenOf } from "./admin-calls.ts";
import { builtInCommands, notInConfig } from "./built-in-commands.ts";
import { backupEarlier, databaseCommand, databaseFilesWork } from "./database.ts";
import { runDespiteConfig } from "./despite-config.ts";
import { asksForHelp, explained } from "./explained.ts";
import { buildOnly } from "./inspect.ts";
import { blueprintOf, dataFolderOf, type Opened, openGateway } from "./open.ts";
import { pluginCommands } from "./plugin-commands.ts";
import { reloadCommand } from "./reload.ts";
import { runningServer, servedThere } from "./running-server.ts";
import type { Invocation } from "./settings.ts";
import { statusCommand } from "./status.ts";

class Held extends Error {
	readonly owner: Owner;
	constructor(owner: Owner) {
		super("held");
		this.owner = owner;
	}
}

/** Only serving brings tables up to date, as it alone makes a database: after that no earlier version takes it any more. */
class Earlier extends Fault {
	constructor(missing: number, { config }: Blueprint) {
		const path = databaseFile(config.database.url);
		const copied = path === undefined || isTakenOver(path) ? "export FILE, while nothing serves" : "backup FILE";
		const found = `the database is an earlier version's: ${missing} migrations are missing, and no command changes it`;
		const advice = `Make a backup (portico db ${copied}); portico serve then brings it up to date. Until then the earlier version is good for commands.`;
		super(deny("conflict", `${found}. ${advice}`));
	}
}

/** The core's own that ask the server. */
const own = [databaseCommand, statusCommand, reloadCommand];

interface Known {
	readonly blueprint: Blueprint;
	readonly added: readonly Command[];
}

/** What the config file names, or why it is refused. */
const knownOf = async (invocation: Invocation): Promise<Known | Fault> => {
	try {
		const blueprint = await blueprintOf(invocation, true);
		const added = pluginCommands(await buildOnly(blueprint), invocation.logLevel === "debug");
		return { blueprint, added: [...own, ...added] };
	} catch (error) {
		if (error instanceof Fault) return error;
		throw error;
	}
};

/** Lists the commands that the plugins of this config add; where it is refused, those that can be asked for all the same. */
export const addedCommands = async (invocation: Invocation): Promise<readonly Command[]> => {
	const known = await knownOf(invocation);
	return known instanceof Fault ? [...own, ...(await builtInCommands())] : known.added;
};

/** Where another user's folder hides the database or the node's files, nobody can say that they are not there. */
const refuseHidden = (blueprint: Blueprint): void => {
	const path = databaseFile(blueprint.config.database.url) ?? nodeLock(dataFolderOf(blueprint));
	try {
		accessSync(path);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EACCES")) return;
		refuseCommand(`this user may not look into ${dirname(path)}; call the command as the user that serves, or as root`);
	}
};

/** Only serving makes a database: a command from the wrong folder would make a second, which the server does not know. */
const refuseWithoutDatabase = async ({ config, file }: Blueprint, builtIn: boolean): Promise<void> => {
	const path = databaseFile(config.database.url);
	if (path === undefined || existsSync(path) || isTakenOver(path)) return;
	// A server whose file was removed under it is asked all the same: it tells what to do.
	if (holderOf(path) !== undefined) return;
	refuseLost(path);
	const missing = `there is no database at ${path}, which ${builtIn ? "the built-in default" : file} names`;
	const served = await servedThere(config.server);
	if (served === undefined)
		return refuseCommand(`${missing}; portico serve makes it, or name the config with --config FILE`);
	const { address, unready } = served;
	// Its lock lay in the folder that is gone: no command finds it any more.
	if (unready === "database")
		return refuseCommand(
			`${missing}, and the server at ${address} is without its database: put back the very folder that was moved away, and it goes on by itself; where that is lost, stop the server and put the last backup in its place (portico db restore FILE)`,
		);
	refuseCommand(
		`${missing}, and a server runs at ${address}: name its config with --config FILE, or put its data folder back where it was moved away`,
	);
};

type Tell = (line: string) => void;

interface Asked {
	readonly invocation: Invocation;
	/** Names of the core's own commands. */
	readonly coreNames: readonly string[];
	readonly print: Tell;
	readonly tell: Tell;
}

/** Portico's parts, for one command. Throws `Held` or `Earlier` where that is not to be. */
const openUnserved = (invocation: Invocation, blueprint: Blueprint): Promise<Opened> => {
	const held = (owner: Owner): never => {
		throw new Held(owner);
	};
	const changing = (missing: number): never => {
		throw new Earlier(missing, blueprint);
	};
	return openGateway(invocation, false, held, { changing });
};

const refuseUnknown = async (
	name: string,
	names: readonly string[],
	blueprint: Blueprint,
	builtIn: boolean,
): Promise<never> => {
	if (name.startsWith("-"))
		return refuseCommand(
			`there is no option "${name}"${nearestOption(name, ["version"])}; portico help lists what there is`,
		);
	const missing = await notInConfig(blueprint, builtIn, name);
	const nearest = `${didYouMean(name, names)}; portico help lists what there is`;
	return refuseCommand(`there is no command "${name}"${missing || nearest}`);
};

const runKnown = async ({ blueprint, added }: Known, asked: Asked): Promise<void> => {
	const { invocation, coreNames, print, tell } = asked;
	const [name = "", ...words] = invocation.words;
	const names = [...added.map((one) => one.name), ...coreNames];
	const command = added.find((one) => one.name === name);
	if (command === undefined) return await refuseUnknown(name, names, blueprint, invocation.builtIn === true);
	if (asksForHelp(words)) return print(explained(command));
	const files = command === databaseCommand ? databaseFilesWork(words) : undefined;
	if (files) return await files(blueprint, print);
	refuseHidden(blueprint);
	await refuseWithoutDatabase(blueprint, invocation.builtIn === true);
	const askServer = async ({ address, pid }: Owner): Promise<void> => {
		if (address === undefined)
			return refuseCommand(`the database is in use by process ${pid}, which does not serve yet; try again in a moment`);
		tell(`asking the server at ${address}`);
		const call = await overNetwork({ address, pid }, tokenOf(invocation, dataFolderOf(blueprint)));
		await command.run({ words, call, print, server: address });
	};
	const { url } = blueprint.config.database;
	const path = databaseFile(url);
	// A database server may be asked by anyone; the node of this data folder knows besides what no database does.
	const node = path === undefined ? runningServer(url, dataFolderOf(blueprint)) : undefined;
	if (node) return await askServer(node);
	let opened: Opened;
	try {
		opened = await openUnserved(invocation, blueprint);
	} catch (error) {
		if (error instanceof Held) return await askServer(error.owner);
		if (error instanceof Earlier && command === databaseCommand) return await backupEarlier(words, blueprint, print);
		throw error;
	}
	tell(
		`database ${path ?? new URL(url).host}; no server ${path === undefined ? "of this data folder runs" : "has it open"}`,
	);
	try {
		await command.run({ words, call: inProcess(opened, tokenOf(invocation, opened.dataFolder)), print });
	} finally {
		await opened.close();
	}
};

/** What a command threw; where it refused an option that a plugin would bring, that is told before the usage. */
const withMissing = async (error: unknown, blueprint: Blueprint, { words, builtIn }: Invocation): Promise<unknown> => {
	if (!isFault(error) || error.denial.parameter?.startsWith("--") !== true) return error;
	const missing = await notInConfig(blueprint, builtIn === true, words[0] ?? "", error.denial.parameter);
	const [first = "", ...usage] = error.message.split("\n\n");
	return missing === "" ? error : new Fault(deny("invalid_request", [first + missing, ...usage].join("\n\n")), error);
};

/** Runs a command that is not the core's own. Throws `Fault` for a word no plugin knows. */
export const administer = async (
	invocation: Invocation,
	coreNames: readonly string[],
	print: Tell,
	tell: Tell,
): Promise<void> => {
	const known = await knownOf(invocation);
	if (known instanceof Fault) {
		if (await runDespiteConfig({ invocation, own, complaint: known.message, print, tell })) return;
		throw known;
	}
	try {
		await runKnown(known, { invocation, coreNames, print, tell });
	} catch (error) {
		throw await withMissing(error, known.blueprint, invocation);
	}
};
