/**
 * What plugins import, told to the runtime before any of them is loaded: `#core`, `#core/testing`, and as
 * `#core/plugins/NAME` what a built-in plugin gives to others. Also preloaded by `portico bun test`.
 */
import { builtInServices } from "./host/built-ins.ts";
import { type SharedModule, shareCore } from "./runtime/share-core.ts";

const here = (path: string): string => new URL(path, import.meta.url).href;

const modules: readonly SharedModule[] = [
	{ name: "", url: here("./mod.ts"), load: () => import("./mod.ts") },
	{ name: "/testing", url: here("./testing/mod.ts"), load: () => import("./testing/mod.ts") },
	...[...builtInServices].map(([name, module]) => ({ ...module, name: `/plugins/${name}` })),
];

/** What a package of plugins may call this one, whose own map of imports says so. */
const names = ["#core", "portico"];

/** Gives the exit code where another process ran in place of this one. */
export const shareModules = (): Promise<number | undefined> =>
	shareCore(names.flatMap((first) => modules.map((module) => ({ ...module, name: first + module.name }))));
