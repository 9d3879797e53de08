/** From the `use` of a config entry to a plugin. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { didYouMean } from "../config/complaint.ts";
import type { Plugin } from "../contract/define.ts";
import { Fault } from "../contract/fault.ts";
import { isRecord } from "../neutral/json.ts";
import { importablePath } from "../runtime/importable.ts";
import { builtInPlugins } from "./built-ins.ts";
import { inTime } from "./in-time.ts";

const refuse = (message: string, cause?: unknown): never => {
	throw new Fault({ kind: "invalid_request", message }, cause);
};

/**
 * Where the module of a plugin that is not built in is: `./x` and `../x` from the config file's folder, anything else as a
 * package, looked for from the config file first and from Portico second.
 */
const locate = (use: string, configFile: string): string => {
	if (use.startsWith(".") || use.startsWith("/")) {
		const path = resolve(dirname(configFile), use);
		if (existsSync(join(path, "index.ts"))) return join(path, "index.ts");
		return existsSync(path) ? path : refuse(`there is no file ${path}`);
	}
	const name = use.replace(/^npm:/, "");
	for (const from of [resolve(configFile), fileURLToPath(import.meta.url)]) {
		try {
			return createRequire(from).resolve(name);
		} catch {
			// The next place may know it; when none does, the refusal below says so.
		}
	}
	return refuse(
		`there is no built-in plugin "${use}"${didYouMean(use, [...builtInPlugins.keys()])} and no installed package of that name; a plugin of your own is named by a path that begins with "./"`,
	);
};

const imported = (address: string) => (): Promise<unknown> => import(address);

const isPlugin = (value: unknown): value is Plugin =>
	isRecord(value) && value["portico"] === 1 && typeof value["setup"] === "function";

/** Loads a plugin. Throws `Fault` whose message completes a complaint: what is missing, or what the module is not. */
export const loadPlugin = async (use: string, configFile: string): Promise<Plugin> => {
	const load = builtInPlugins.get(use)?.load ?? imported(pathToFileURL(importablePath(locate(use, configFile))).href);
	const module: unknown = await inTime(load(), "loading it").catch((error: unknown) =>
		refuse(`its module could not be loaded: ${error instanceof Error ? error.message : "unknown error"}`, error),
	);
	const plugin = isRecord(module) ? module["default"] : undefined;
	return isPlugin(plugin) ? plugin : refuse("its module has no default export made by definePlugin");
};
