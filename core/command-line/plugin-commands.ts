/** The commands of a generation's plugins. What one throws that is no refusal is one line, which names the plugin and the place. */
import { type Command, commands } from "../contract/command.ts";
import { deny, Fault, isFault } from "../contract/fault.ts";
import { describe, withPlace } from "../errors/describe.ts";
import type { Generation } from "../host/generation.ts";

/** For its author there is the stack, where the operator asks for it: everybody else would have to read past it. */
const failed = (error: unknown, command: string, plugin: string, withStack: boolean): Fault => {
	if (isFault(error)) return error;
	const stack = withStack && error instanceof Error ? `\n${error.stack}` : "";
	const message = `portico ${command} failed in the plugin "${plugin}": ${withPlace(describe(error), error)}${stack}`;
	return new Fault(deny("internal", message), error);
};

/** `withStack`: a failure is told with the calls that led to it. */
export const pluginCommands = (generation: Generation, withStack: boolean): readonly Command[] =>
	generation.owned(commands).map(({ plugin, value: command }) => {
		const { name, summary } = command;
		return {
			name,
			summary,
			usage() {
				try {
					return command.usage();
				} catch (error) {
					throw failed(error, `${name} --help`, plugin, withStack);
				}
			},
			async run(asked) {
				try {
					await command.run(asked);
				} catch (error) {
					throw failed(error, name, plugin, withStack);
				}
			},
		};
	});
