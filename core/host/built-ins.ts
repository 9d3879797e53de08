/**
 * The built-in plugins, found in their folders. `npm run build` puts a table of the same in the place of this file, so that
 * one file holds them all.
 */
import { existsSync, readdirSync } from "node:fs";

/** A module of a built-in plugin: where its source lies, and how it is loaded. */
interface BuiltIn {
	readonly url: string;
	load(): Promise<object>;
}

const plugins = new URL("../../plugins/", import.meta.url);

const modulesNamed = (file: string): ReadonlyMap<string, BuiltIn> =>
	new Map(
		readdirSync(plugins)
			.filter((name) => existsSync(new URL(`${name}/${file}`, plugins)))
			.map((name) => {
				const { href } = new URL(`${name}/${file}`, plugins);
				return [name, { url: href, load: () => import(href) }];
			}),
	);

/** The plugins by their names. */
export const builtInPlugins = modulesNamed("index.ts");

/** What they give to other plugins, by the names of those who give it. */
export const builtInServices = modulesNamed("service.ts");
