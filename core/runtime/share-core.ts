/**
 * Makes `#core` mean this running copy of Portico wherever the file of a plugin lies. On Bun a plugin of the runtime
 * answers the import; Deno can only be told by an import map, so the program starts itself again with one.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asRecord } from "../neutral/json.ts";

/** A module by the name it is imported by: where it is, and how it is loaded. */
export interface SharedModule {
	readonly name: string;
	readonly url: string;
	load(): Promise<object>;
}

/** Set for the process that was started with the map. */
const mark = "PORTICO_IMPORT_MAP";

/** What a process that this one starts is given: it starts itself again with the map as this one did. */
export const environmentOfOthers = (): NodeJS.ProcessEnv => {
	const { [mark]: _, ...others } = process.env;
	return others;
};

const shareOnBun = (modules: readonly SharedModule[]): void => {
	Bun.plugin({
		name: "portico-core",
		setup(build) {
			for (const { name, load } of modules)
				build.module(name, async () => ({ loader: "object", exports: { ...(await load()) } }));
		},
	});
};

/** Runs this program once more with the map; gives its exit code. */
const runWithMap = (modules: readonly SharedModule[]): Promise<number> => {
	const folder = mkdtempSync(join(tmpdir(), "portico-map-"));
	const map = join(folder, "import-map.json");
	writeFileSync(map, JSON.stringify({ imports: Object.fromEntries(modules.map(({ name, url }) => [name, url])) }));
	const [, main = "", ...words] = process.argv;
	const script = main.startsWith("file:") ? fileURLToPath(main) : main;
	// Workers share a port by what Deno still calls unstable.
	const flags = ["run", "-A", "--no-check", "--unstable-net", "--import-map", map];
	const child = spawn(process.execPath, [...flags, script, ...words], {
		stdio: ["inherit", "inherit", "inherit", "ipc"],
		env: { ...process.env, [mark]: map },
	});
	// Deno's `child.kill` would cut the channel between the two, which ends the child at once.
	for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
		process.on(signal, () => {
			if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, signal);
		});
	child.on("message", (message) => process.send?.(message));
	process.on("message", (message) => {
		if (child.connected) child.send(asRecord(message), () => undefined);
	});
	return new Promise((resolve) => {
		child.once("exit", (code, signal) => {
			rmSync(folder, { recursive: true, force: true });
			resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
		});
	});
};

/** Undefined when the modules are shared and this process goes on; else the exit code of the one that ran in its place. */
export const shareCore = async (modules: readonly SharedModule[]): Promise<number | undefined> => {
	if (process.versions.bun !== undefined) shareOnBun(modules);
	else if (process.versions["deno"] !== undefined && process.env[mark] === undefined) return await runWithMap(modules);
	return undefined;
};
