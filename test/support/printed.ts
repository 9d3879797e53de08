/** What a command of the command line prints, run against a gateway of this process. */
import { type CallAdmin, commands } from "#core";
import type { TestGateway } from "#core/testing";

export const printedBy = async (
	{ admin, portico }: Pick<TestGateway, "admin" | "portico">,
	name: string,
	...words: readonly string[]
): Promise<string> => {
	const lines: string[] = [];
	const call: CallAdmin = (method, path, body) => admin(method, path, body);
	const command = portico.generation?.all(commands).find((one) => one.name === name);
	if (!command) throw new Error(`there is no command ${name}`);
	await command.run({ words, call, print: (line) => lines.push(line) });
	return lines.join("\n");
};
