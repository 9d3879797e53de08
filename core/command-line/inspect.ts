/** Commands that look at the config without serving: `check`, `schema`, `plugins`, `print-config`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { refuseCommand } from "../config/command-words.ts";
import { configSchemaText } from "../config/schema.ts";
import { type Blueprint, configText } from "../host/blueprint.ts";
import { certificateComplaints } from "../host/certificate.ts";
import type { Generation } from "../host/generation.ts";
import { checkAdminToken } from "../host/node-files.ts";
import { Portico } from "../host/portico.ts";
import { createLog } from "../runtime/log.ts";
import { terminalWidth } from "../runtime/terminal.ts";
import type { OpenStore } from "../store/open.ts";
import { systemClock } from "../wire/system-clock.ts";
import { blueprintOf, version } from "./open.ts";
import type { Invocation } from "./settings.ts";
import { listLines } from "./table.ts";
import { warningsOf } from "./warnings.ts";

/** Stands where the database would be: nothing may touch it before the start. */
const unopened = new Proxy({} as OpenStore["store"], {
	get: (_, name) =>
		name === "shared" ? false : refuseCommand(`the database was used (${String(name)}) before the start`),
});

/** The generation of a config, built and not started. Throws `Fault` with every complaint. */
export const buildOnly = async (blueprint: Blueprint): Promise<Generation> => {
	const none = async (): Promise<void> => undefined;
	const store = {
		store: unopened,
		migrate: none,
		backup: none,
		close: none,
		outage: () => undefined,
		describe: () => undefined,
	};
	const portico = new Portico({
		blueprint,
		store,
		clock: systemClock,
		log: createLog("silent"),
		version,
		dataFolder: "",
		node: "check",
		adminToken: "",
		serving: false,
		again: async () => ({ complaints: [] }),
	});
	const { generation, complaints } = await portico.check();
	return generation ?? refuseCommand(complaints.join("\n"));
};

const counted = (plugins: number): string => (plugins === 1 ? "1 plugin" : `${plugins} plugins`);

/** The same build as a start, minus the start. Throws `Fault` with every complaint. */
export const check = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	checkAdminToken(invocation.environment["PORTICO_ADMIN_TOKEN"]);
	const blueprint = await blueprintOf(invocation);
	const generation = await buildOnly(blueprint);
	for (const complaint of certificateComplaints(blueprint.config.server)) refuseCommand(complaint);
	for (const warning of warningsOf(blueprint, generation, invocation)) print(`warning: ${warning}`);
	const what = invocation.builtIn ? "the built-in default" : blueprint.file;
	print(`${what} is good: ${counted(blueprint.instances.length)}, ready to start`);
};

/** Prints a table of plugins, or JSON with `--json`. */
export const listPlugins = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	const { rows } = await buildOnly(await blueprintOf(invocation, true));
	if (invocation.words.includes("--json")) return print(JSON.stringify(rows));
	for (const row of rows) {
		print(`${row.name}${row.use === row.name ? "" : ` (${row.use})`}: ${row.summary}`);
		for (const list of ["gives", "needs", "routes"] as const)
			if (row[list].length > 0) for (const line of listLines(list, row[list], terminalWidth())) print(line);
	}
};

/** Writes the JSON Schema beside the config file; with `--check` only says whether the one there is fresh, with `-` prints it. */
export const writeSchema = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	const { instances, file } = await blueprintOf(invocation, true);
	const text = configSchemaText(
		instances.map(({ name, use, plugin }) => ({ name, use, summary: plugin.summary, config: plugin.config })),
	);
	const path = join(dirname(file), "portico.schema.json");
	if (invocation.words.includes("-")) return print(text);
	if (!invocation.words.includes("--check")) {
		writeFileSync(path, text);
		return print(`wrote ${path}`);
	}
	if (!existsSync(path) || readFileSync(path, "utf8") !== text)
		refuseCommand(`${path} is stale; write it anew with: portico schema`);
	print(`${path} is fresh`);
};

/** The config as it is understood, with secrets taken out. */
export const showConfig = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	print(configText(await blueprintOf(invocation, true)));
};
