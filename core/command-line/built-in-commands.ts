/** The commands that built-in plugins bring, whatever the config names. */
import { type Command, commands } from "../contract/command.ts";
import { readBlueprint } from "../host/blueprint.ts";
import { lentServices } from "../host/build.ts";
import type { Generation } from "../host/generation.ts";
import { buildOnly } from "./inspect.ts";
import { standardConfig } from "./standard-config.ts";

/** The built-in default leaves this one out, for it has to be told an address. */
const alerts = `
  - use: alerts
    with: { url: "https://alerts.invalid/", secret: "whsec_${"A".repeat(43)}=" }
`;

/** Every built-in plugin that brings a command or a setting of tokens, built and not started. */
export const builtInGeneration = async (): Promise<Generation> => {
	const text = standardConfig() + alerts;
	const { blueprint } = await readBlueprint({ file: "portico.yaml", text, environment: {}, lent: lentServices });
	if (!blueprint) throw new Error("the built-in default cannot be read");
	return await buildOnly(blueprint);
};

/** Their commands. */
export const builtInCommands = async (): Promise<readonly Command[]> => (await builtInGeneration()).all(commands);
