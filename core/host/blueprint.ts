/** From a config file to plugins in order, with every complaint at once. Nothing is opened and nothing runs yet. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { checkSettings } from "../config/check.ts";
import { type Complaint, formatComplaint, whereText } from "../config/complaint.ts";
import { readPlaces } from "../config/places.ts";
import { printConfig } from "../config/print.ts";
import { type Config, type PluginEntry, readConfig } from "../config/read.ts";
import { isFault } from "../contract/fault.ts";
import { describe } from "../errors/describe.ts";
import { baseFolder, placesAt, withAbsolutePaths } from "./absolute-paths.ts";
import { isCodeChanged, loadPlugin } from "./load.ts";
import { type Instance, orderInstances, type PluginComplaint } from "./order.ts";

export interface Blueprint {
	readonly file: string;
	/** The same from the root, for whoever does not know from where it was named. */
	readonly path: string;
	readonly config: Config;
	/** In config order. */
	readonly instances: readonly Instance[];
	/** Givers before users. */
	readonly ordered: readonly Instance[];
	/** Values that came from the environment or from files, for redaction. */
	readonly secrets: readonly string[];
	/** Complaints so far. With any, only what is sound is among `ordered`, and nothing of it may be started. */
	readonly complaints: readonly Complaint[];
	/** A complaint about a plugin, with the place where the config names it. */
	place(complaint: PluginComplaint): Complaint;
}

export interface BlueprintInput {
	/** As the operator wrote it; complaints begin with it. */
	readonly file: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly port?: number;
	/** What counts whatever the file holds. */
	readonly text?: string;
	/** What stands for the file while there is none. */
	readonly fallback?: string | undefined;
	/** Portico will not serve: what a variable or a file would bring may be missing. */
	readonly withoutSecrets?: boolean;
	/** Ids of services that the host gives itself. */
	readonly lent: ReadonlySet<string>;
}

/** Complaints ready to print, one line each, in the order of the file. */
export const complaintLines = (file: string, complaints: readonly Complaint[]): readonly string[] =>
	complaints
		.toSorted((a, b) => a.line - b.line || a.column - b.column)
		.map((complaint) => formatComplaint(file, complaint));

/** What the file says, or why it cannot be read. */
const readText = (
	file: string,
	fallback: string | undefined,
): { readonly text: string } | { readonly wrong: string } => {
	try {
		return { text: readFileSync(file, "utf8") };
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EISDIR")
			return { wrong: `${file}: it is a folder; name the config file in it` };
		if (!(error instanceof Error && "code" in error && error.code === "ENOENT"))
			return { wrong: `${file}: it cannot be read (${describe(error)})` };
		if (fallback !== undefined) return { text: fallback };
		return { wrong: `${file}: there is no such file; name one with --config FILE` };
	}
};

/** Ends a complaint about a plugin whose author may have mended it already. */
const staleWords = ({ use }: PluginEntry, file: string): string =>
	isCodeChanged(use, file)
		? "; its code was changed since this process loaded it, and counts from the next start on: restart the server"
		: "";

const instantiate = async (
	entry: PluginEntry,
	file: string,
	complaints: Complaint[],
): Promise<Instance | undefined> => {
	const plugin = await loadPlugin(entry.use, file).catch((error: unknown): undefined => {
		const message = isFault(error) ? error.message : "could not be loaded";
		complaints.push({ ...entry.at, where: entry.label, message: message + staleWords(entry, file) });
	});
	if (!plugin) return undefined;
	const { value, complaints: wrong, usable } = checkSettings(plugin.config, entry.with, entry);
	complaints.push(...wrong.map((one) => ({ ...one, message: one.message + staleWords(entry, file) })));
	return {
		name: entry.as ?? plugin.name,
		use: entry.use,
		plugin,
		config: value,
		sound: usable,
	};
};

/** Of two that have one name the second is complained of; what the first offers is there. */
const firstOfName = ({ name }: Instance, index: number, all: readonly Instance[]): boolean =>
	all.findIndex((other) => other.name === name) === index;

/** Instances without complaints whose needs are met by others such; those of the others are not worth building. */
const soundOnly = (instances: readonly Instance[], lent: ReadonlySet<string>): readonly Instance[] => {
	let left = instances.filter(firstOfName).filter(({ sound }) => sound);
	for (;;) {
		const { ordered, complaints } = orderInstances(left, lent);
		if (complaints.length === 0) return ordered;
		const unsound = new Set(complaints.map(({ plugin }) => plugin));
		left = left.filter(({ name }) => !unsound.has(name));
	}
};

/** Where the data is, as far as a file with whatever mistakes says it. */
export const placesOf = ({ file, environment, fallback }: BlueprintInput): ReturnType<typeof placesAt> => {
	const found = readText(file, fallback);
	const readFile = (path: string) => readFileSync(resolve(dirname(file), path), "utf8");
	const places = readPlaces("text" in found ? found.text : "", { environment, readFile, withoutSecrets: true });
	return placesAt(baseFolder(file), places);
};

/** The configuration that Portico runs with, as operators may see it: YAML, defaults filled in, secrets taken out. */
export const configText = ({ config, secrets, instances }: Blueprint): string =>
	printConfig(config, secrets, new Map(instances.map(({ use, plugin }) => [use, plugin.config])));

/** Reads, loads, checks and orders. A blueprint is given whenever the file can be read at all. */
export const readBlueprint = async (
	input: BlueprintInput,
): Promise<{ readonly blueprint?: Blueprint; readonly complaints: readonly string[] }> => {
	const { file, environment, port, lent } = input;
	const found = input.text === undefined ? readText(file, input.fallback) : { text: input.text };
	if ("wrong" in found) return { complaints: [found.wrong] };
	const {
		config: read,
		complaints: inFile,
		secrets,
	} = readConfig({
		file,
		text: found.text,
		environment,
		readFile: (path) => readFileSync(path, "utf8"),
		...(port !== undefined && { port }),
		...(input.withoutSecrets && { withoutSecrets: true }),
	});
	if (!read) return { complaints: complaintLines(file, inFile) };
	const config = withAbsolutePaths(read, baseFolder(file));
	const complaints: Complaint[] = [...inFile];
	const instances: Instance[] = [];
	const entries = new Map<string, PluginEntry>();
	for (const entry of config.plugins) {
		if (!entry.enabled) continue;
		const instance = await instantiate(entry, file, complaints);
		if (!instance) continue;
		instances.push(instance);
		entries.set(instance.name, entry);
	}
	const place = ({ plugin, message, at }: PluginComplaint): Complaint => {
		const entry = entries.get(plugin);
		if (!entry) return { line: 1, column: 1, where: plugin, message };
		const { line, column } = at ? entry.place(at) : entry.at;
		return { line, column, where: whereText(entry.label, at ?? []), message: message + staleWords(entry, file) };
	};
	complaints.push(...orderInstances(instances, lent).complaints.map(place));
	const ordered = soundOnly(instances, lent);
	return {
		blueprint: { file, path: resolve(file), config, instances, ordered, secrets, complaints, place },
		complaints: [],
	};
};
