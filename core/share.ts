/**
 * What plugins import, told to the runtime before any of them is loaded: `#core`, `#core/testing`, and as
 * `#core/plugins/NAME` what a built-in plugin gives to others. Also preloaded by `portico bun test`.
 */
import { existsSync, readdirSync } from "node:fs";
import { type SharedModule, shareCore } from "./runtime/share-core.ts";

const here = (path: string): string => new URL(path, import.meta.url).href;

const plugins = new URL("../plugins/", import.meta.url);

const services: readonly SharedModule[] = readdirSync(plugins)
	.filter((name) => existsSync(new URL(`${name}/service.ts`, plugins)))
	.map((name) => {
		const { href } = new URL(`${name}/service.ts`, plugins);
		return { name: `#core/plugins/${name}`, url: href, load: () => import(href) };
	});

const modules: readonly SharedModule[] = [
	{ name: "#core", url: here("./mod.ts"), load: () => import("./mod.ts") },
	{ name: "#core/testing", url: here("./testing/mod.ts"), load: () => import("./testing/mod.ts") },
	...services,
];

/** Gives the exit code where another process ran in place of this one. */
export const shareModules = (): Promise<number | undefined> => shareCore(modules);
