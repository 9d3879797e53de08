/** From the `use` of a config entry to a plugin. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { didYouMean } from "../config/complaint.ts";
import type { Plugin } from "../contract/define.ts";
import { Fault } from "../contract/fault.ts";
import { asRecord, isRecord, type WireRecord } from "../neutral/json.ts";
import { importablePath } from "../runtime/importable.ts";
import { entryOf } from "../runtime/package-entry.ts";
import { builtInPlugins } from "./built-ins.ts";
import { forgetLoad, isChanged, noteLoad } from "./changed-code.ts";
import { inTime } from "./in-time.ts";
import { fileOf, whyNotLoaded } from "./why-not-loaded.ts";

const refuse = (message: string, cause?: unknown): never => {
	throw new Fault({ kind: "invalid_request", message }, cause);
};

const moduleIn = (folder: string, part?: string): string => {
	const entry = entryOf(folder, part);
	return "file" in entry ? entry.file : refuse(`its folder ${folder} ${entry.wrong}`);
};

const moduleAt = (path: string): string => {
	if (!existsSync(path)) return refuse(`there is no file ${path}`);
	if (!statSync(path).isDirectory()) return path;
	const source = join(path, "index.ts");
	return existsSync(source) ? source : moduleIn(path);
};

/**
 * Where the module of a plugin that is not built in is: `./x` and `../x` from the config file's folder, anything else as a
 * package, looked for from the config file first and from Portico second.
 */
const locate = (use: string, configFile: string): string => {
	if (use.startsWith(".") || use.startsWith("/")) return moduleAt(resolve(dirname(configFile), use));
	const [, name = "", part = ""] = /^(?:npm:)?((?:@[^/]+\/)?[^/]+)(.*)$/.exec(use) ?? [];
	for (const from of [resolve(configFile), fileURLToPath(import.meta.url)])
		for (const packages of createRequire(from).resolve.paths(name) ?? []) {
			const folder = join(packages, name);
			if (existsSync(folder)) return moduleIn(realpathSync(folder), `.${part}`);
		}
	return refuse(
		`there is no built-in plugin "${use}"${didYouMean(use, [...builtInPlugins.keys()])} and no installed package of that name; a plugin of your own is named by a path that begins with "./"`,
	);
};

/** Whether its code was changed since this process loaded it, which no reload loads again. */
export const isCodeChanged = (use: string, configFile: string): boolean => {
	if (builtInPlugins.has(use)) return false;
	try {
		return isChanged(locate(use, configFile));
	} catch {
		// It is gone, and whoever asks for it is told so.
		return false;
	}
};

const imported = async (file: string): Promise<unknown> => {
	noteLoad(file);
	try {
		return await import(pathToFileURL(importablePath(file)).href);
	} catch (error) {
		// Only of a file that it could not parse Bun keeps nothing, and reads it anew when it is asked for again.
		if (fileOf(error) === file) forgetLoad(file);
		throw error;
	}
};

const isPlugin = (value: unknown): value is Plugin => isRecord(value) && value["portico"] === 1;

const isText = (value: unknown): boolean => typeof value === "string";

/** It stands in lines of the log and of lists, and in rows of the database: an unseen or broken one would be found in none of them. */
const isName = (value: unknown): boolean =>
	typeof value === "string" && value !== "" && value === value.trim() && !/\p{C}/u.test(value);

const isToken = (value: unknown): boolean =>
	isRecord(value) && typeof value["id"] === "string" && ["service", "slot", "maybe"].includes(String(value["kind"]));

/** What the host reads of a plugin before its set-up: what each part must be, and whether it is. */
const parts: Readonly<Record<string, readonly [expected: string, fits: (value: unknown) => boolean]>> = {
	name: ['a name that can be seen, in kebab-case such as "office-hours"', isName],
	summary: ["a text", isText],
	config: [
		"t.Object({ … }), of t.String() and the like",
		(value) =>
			isRecord(value) && value["type"] === "object" && Object.values(asRecord(value["properties"])).every(isRecord),
	],
	needs: [
		"{ name: service or slot }, as they are imported",
		(value) => isRecord(value) && Object.values(value).every(isToken),
	],
	gives: ["[services and slots], as they are imported", (value) => Array.isArray(value) && value.every(isToken)],
	setup: ["a function", (value) => typeof value === "function"],
};

/** Loads a plugin. Throws `Fault` whose message completes a complaint: what is missing, or what the module is not. */
export const loadPlugin = async (use: string, configFile: string): Promise<Plugin> => {
	const loading = builtInPlugins.get(use)?.load() ?? imported(locate(use, configFile));
	const module: unknown = await inTime(loading, "loading it").catch((error: unknown) =>
		refuse(`its module could not be loaded: ${whyNotLoaded(error)}`, error),
	);
	const plugin = isRecord(module) ? module["default"] : undefined;
	if (!isPlugin(plugin)) return refuse("its module has no default export made by definePlugin");
	const read: WireRecord = { ...plugin };
	const wrong = Object.entries(parts).flatMap(([part, [expected, fits]]) =>
		fits(read[part]) ? [] : [`"${part}" must be ${expected}`],
	);
	return wrong.length > 0 ? refuse(`what it gave definePlugin is wrong: ${wrong.join("; ")}`) : plugin;
};
