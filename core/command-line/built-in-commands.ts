/** The commands that built-in plugins bring, whatever the config names, and which plugin that is. */
import { flagOf } from "../config/command-words.ts";
import { type Command, commands } from "../contract/command.ts";
import { policies } from "../contract/policy.ts";
import { type Blueprint, readBlueprint } from "../host/blueprint.ts";
import { lentServices } from "../host/build.ts";
import type { Generation } from "../host/generation.ts";
import { buildOnly } from "./inspect.ts";
import { pluginCommands } from "./plugin-commands.ts";
import { standardConfig } from "./standard-config.ts";

/** The built-in default leaves this one out, for it has to be told an address. */
const alerts = `
  - use: alerts
    with: { url: "https://alerts.invalid/", secret: "whsec_${"A".repeat(43)}=" }
`;

/** Every built-in plugin that brings a command or a setting of tokens, built and not started. */
const builtInGeneration = async (): Promise<Generation> => {
	const text = standardConfig() + alerts;
	const { blueprint } = await readBlueprint({ file: "portico.yaml", text, environment: {}, lent: lentServices });
	if (!blueprint) throw new Error("the built-in default cannot be read");
	return await buildOnly(blueprint);
};

/** Their commands. */
export const builtInCommands = async (): Promise<readonly Command[]> =>
	pluginCommands(await builtInGeneration(), false);

/** The built-in plugin that brings a command, or an option of one. Undefined where none does. */
const pluginBringing = async (name: string, option: string | undefined): Promise<string | undefined> => {
	const generation = await builtInGeneration();
	const command = generation.owned(commands).find(({ value }) => value.name === name);
	if (option === undefined || !command?.value.usage().includes(`${option} `)) return command?.plugin;
	const setting = generation.owned(policies).find(({ value }) => option === `--${flagOf(value.setting?.key ?? "")}`);
	return setting?.plugin;
};

/**
 * The end of a refusal: which built-in plugin brings a command, or an option of one, that this config has not. Empty where none
 * does, or where the config names it.
 */
export const notInConfig = async (
	{ instances, file }: Blueprint,
	builtIn: boolean,
	name: string,
	option?: string,
): Promise<string> => {
	const plugin = await pluginBringing(name, option);
	if (plugin === undefined || instances.some(({ use }) => use === plugin)) return "";
	return `: the plugin "${plugin}", which brings it, is not in ${builtIn ? "the built-in default" : file}; add "- use: ${plugin}" to the plugins`;
};
