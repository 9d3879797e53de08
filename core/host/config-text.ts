/** The configuration that Portico runs with, as operators may see it. */
import { printConfig } from "../config/print.ts";
import type { Blueprint } from "./blueprint.ts";

/** YAML, defaults filled in, secrets taken out. */
export const configText = ({ config, secrets, instances }: Blueprint): string =>
	printConfig(config, secrets, new Map(instances.map(({ use, plugin }) => [use, plugin.config])));
