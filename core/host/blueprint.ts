/** From a config file to plugins in order, with every complaint at once. Nothing is opened and nothing runs yet. */
import { readFileSync } from "node:fs";
import { checkSettings } from "../config/check.ts";
import { type Complaint, formatComplaint } from "../config/complaint.ts";
import { type Config, type PluginEntry, readConfig } from "../config/read.ts";
import { isFault } from "../fault.ts";
import { loadPlugin } from "./load.ts";
import { type Instance, orderInstances } from "./order.ts";

export interface Blueprint {
	readonly file: string;
	readonly config: Config;
	/** In config order. */
	readonly instances: readonly Instance[];
	/** Givers before users. */
	readonly ordered: readonly Instance[];
	/** Values that came from the environment or from files, for redaction. */
	readonly secrets: readonly string[];
}

export interface BlueprintResult {
	/** Absent when there are complaints. */
	readonly blueprint?: Blueprint;
	/** Ready to print, one line each. */
	readonly complaints: readonly string[];
}

export interface BlueprintInput {
	/** As the operator wrote it; complaints begin with it. */
	readonly file: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly port?: number;
	/** Ids of services that the host gives itself. */
	readonly lent: ReadonlySet<string>;
}

const readText = (file: string): string | undefined => {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
};

/** Reads, loads, checks and orders. */
export const readBlueprint = async ({ file, environment, port, lent }: BlueprintInput): Promise<BlueprintResult> => {
	const text = readText(file);
	if (text === undefined) return { complaints: [`${file}: there is no such file; name one with --config FILE`] };
	const read = readConfig({
		file,
		text,
		environment,
		readFile: (path: string) => readFileSync(path, "utf8"),
		...(port !== undefined && { override: { port } }),
	});
	const complaints: Complaint[] = [...read.complaints];
	const instances: Instance[] = [];
	const entries = read.config?.plugins ?? [];
	for (const entry of entries) {
		if (!entry.enabled) continue;
		const instance = await instantiate(entry, file, complaints);
		if (instance) instances.push(instance);
	}
	const { ordered, complaints: gaps } = orderInstances(instances, lent);
	const lines = complaints
		.sort((a, b) => a.line - b.line || a.column - b.column)
		.map((complaint) => formatComplaint(file, complaint))
		// A plugin that could not be loaded leaves gaps that are not the operator's.
		.concat(complaints.length === 0 ? gaps.map((gap) => `${file}: ${gap}`) : []);
	if (!read.config || lines.length > 0) return { complaints: lines };
	return { blueprint: { file, config: read.config, instances, ordered, secrets: read.secrets }, complaints: [] };
};

const instantiate = async (
	entry: PluginEntry,
	file: string,
	complaints: Complaint[],
): Promise<Instance | undefined> => {
	const plugin = await loadPlugin(entry.use, file).catch((error: unknown): undefined => {
		complaints.push({
			...entry.at,
			where: entry.label,
			message: isFault(error) ? error.message : "could not be loaded",
		});
	});
	if (!plugin) return undefined;
	const name = entry.as ?? plugin.name;
	const checked = checkSettings(plugin.config, entry.with, entry);
	complaints.push(...checked.complaints);
	return { name, use: entry.use, plugin, config: checked.value };
};
