/** The contract check: what every plugin must keep to, built-in or not. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "../contract/clock.ts";
import type { Contribution, Plugin } from "../contract/define.ts";
import { type Policy, policies } from "../contract/policy.ts";
import { describe } from "../errors/describe.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { loadPlugin } from "../host/load.ts";
import { Portico } from "../host/portico.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";
import { createLog } from "../runtime/log.ts";
import { type OpenStore, openStore } from "../store/open.ts";
import { systemClock } from "../wire/system-clock.ts";
import { exampleBlueprint, inTemporaryFolder, type PluginPlace, readmeExamples } from "./example.ts";
import { readmeComplaints, settingPaths } from "./readme.ts";
import { openedBy } from "./watch.ts";

type Complain = (message: string) => void;

const schemaComplaints = ({ config }: Plugin): readonly string[] => [
	...(config.additionalProperties === false
		? []
		: ["the settings are not closed; give the object { additionalProperties: false }"]),
	...settingPaths(config)
		.filter(({ described }) => !described)
		.map(({ path }) => `the setting "${path}" has no description`),
];

/** What a config may call the plugin: by its folder, or by its package. */
const placeOf = (folder: string): PluginPlace => {
	const file = join(folder, "package.json");
	const name = existsSync(file) ? asText(asRecord(parseJson(readFileSync(file, "utf8")))["name"]) : undefined;
	return { folder, names: [basename(folder), ...(name === undefined ? [] : [basename(name)])] };
};

/** Stands where the database would be before the start: nothing may touch it. */
const untouchable = (complain: Complain): OpenStore => {
	const store = new Proxy({} as OpenStore["store"], {
		get(_, name) {
			if (name === "shared") return false;
			complain(`set-up used the database (${String(name)}); use it in start or while serving`);
			throw new Error("the database was used before the start");
		},
	});
	const none = async (): Promise<void> => undefined;
	return { store, migrate: none, backup: none, close: none, outage: () => undefined, describe: () => undefined };
};

/** The real clock, with a word to us for every timer. */
const noticed = (complain: Complain): Clock => ({
	...systemClock,
	after(milliseconds, action) {
		complain("set-up asked the clock for a timer; ask in start or while serving");
		return systemClock.after(milliseconds, action);
	},
});

/** The blueprint with the plugin's set-up watched, and what each of its instances contributed. */
const observed = (blueprint: Blueprint, plugin: Plugin, complain: Complain) => {
	const contributions: Contribution[] = [];
	const watched: Plugin = {
		...plugin,
		async setup(context) {
			let contribution: Contribution = {};
			const opened = await openedBy(async () => {
				contribution = await plugin.setup(context);
			});
			for (const what of opened) complain(`set-up opened ${what}; open it in start`);
			contributions.push(contribution);
			return contribution;
		},
	};
	const ordered = blueprint.ordered.map((one) => (one.plugin === plugin ? { ...one, plugin: watched } : one));
	return { blueprint: { ...blueprint, ordered }, contributions };
};

const optionsFor = (blueprint: Blueprint, dataFolder: string) => ({
	blueprint,
	dataFolder,
	version: "test",
	node: "node_test",
	adminToken: "",
	serving: true,
	again: async () => ({ complaints: [] }),
});

const stopAgain = async (contributions: readonly Contribution[], when: string, complain: Complain): Promise<void> => {
	for (const contribution of contributions) {
		try {
			await contribution.stop?.();
		} catch (error) {
			complain(`stop failed ${when} (${describe(error)}); it must be safe without start and twice`);
		}
	}
};

/** Built as `portico check` does: set-up opens nothing, offers are named in gives, and stop is safe without start. */
const checkSetUp = async (read: Blueprint, plugin: Plugin, folder: string, complain: Complain) => {
	const { blueprint, contributions } = observed(read, plugin, complain);
	const options = { ...optionsFor(blueprint, folder), clock: noticed(complain), log: createLog("silent") };
	const { complaints } = await new Portico({ ...options, store: untouchable(complain) }).check();
	for (const complaint of complaints) complain(`its example does not pass the check: ${complaint}`);
	for (const when of ["without start", "twice without start"]) await stopAgain(contributions, when, complain);
	return { sound: complaints.length === 0, offers: contributions.flatMap(({ offers = [] }) => offers) };
};

/** Started on a real database and stopped twice. */
const checkLife = async (read: Blueprint, plugin: Plugin, folder: string, complain: Complain): Promise<void> => {
	const { blueprint, contributions } = observed(read, plugin, () => undefined);
	const failures: string[] = [];
	const log = createLog("error", (line) => failures.push(line));
	const store = await openStore({ ...blueprint.config.database, clock: systemClock, log });
	if ("heldBy" in store) throw new Error(`the database of a new folder is held by process ${store.heldBy.pid}`);
	const portico = new Portico({ ...optionsFor(blueprint, folder), store, clock: systemClock, log });
	try {
		for (const complaint of await portico.start()) complain(`its example does not start: ${complaint}`);
		await portico.stop();
		await stopAgain(contributions, "after it had been stopped", complain);
		for (const line of failures) complain(`its example started and stopped with an error: ${line.trim()}`);
	} catch (error) {
		complain(`its example could not be started (${describe(error)})`);
	} finally {
		await store.close();
	}
};

/** Goes through the life of one example; gives the token settings it brings. */
const checkExample = async (example: string, place: PluginPlace, plugin: Plugin, complain: Complain) =>
	await inTemporaryFolder(async (folder): Promise<readonly string[]> => {
		const { blueprint, complaints } = await exampleBlueprint(example, place, folder);
		for (const complaint of complaints) complain(`its example cannot be read: ${complaint}`);
		if (!blueprint) return [];
		const { sound, offers } = await checkSetUp(blueprint, plugin, folder, complain);
		if (sound) await checkLife(blueprint, plugin, folder, complain);
		return offers
			.filter(({ token }) => token.id === policies.id)
			.flatMap(({ value }) => (value as Policy).setting?.key ?? []);
	});

/**
 * Checks the plugin of a folder: name, summary, settings, README; then every YAML example of the README as a whole
 * config: built, started, stopped and stopped again. Built-in plugins that an example needs are added to it. Returns
 * complaints, none when all is well.
 */
export const checkPlugin = async (folder: string): Promise<readonly string[]> => {
	const complaints = new Set<string>();
	const complain: Complain = (message) => void complaints.add(message);
	const place = placeOf(folder);
	const plugin = await loadPlugin(folder, join(folder, "portico.yaml"));
	if (!place.names.includes(plugin.name))
		complain(`it is called "${plugin.name}", but ${place.names.join(" or ")} by others`);
	if (!/^[A-Z][^\n]*[.]$/.test(plugin.summary))
		complain("its summary is not one sentence that begins with a capital and ends with a full stop");
	for (const complaint of schemaComplaints(plugin)) complain(complaint);
	const examples = existsSync(join(folder, "README.md")) ? readmeExamples(folder) : [];
	if (examples.length === 0) complain("README.md has no YAML example");
	const tokenSettings = new Set<string>();
	for (const example of examples)
		for (const key of await checkExample(example, place, plugin, complain)) tokenSettings.add(key);
	for (const complaint of readmeComplaints(folder, plugin.config, [...tokenSettings])) complain(complaint);
	return [...complaints];
};
