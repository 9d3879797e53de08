import { expect, test } from "bun:test";
import { coreCommands, runCoreCommand } from "./core-commands.ts";

const help = async (...words: readonly string[]): Promise<string> => {
	const printed: string[] = [];
	const command = coreCommands.find(({ name }) => name === "help");
	if (!command) throw new Error("there is no help");
	await runCoreCommand(command, { file: "config/portico.yaml", words, environment: {} }, (line) => printed.push(line));
	return printed.join("\n");
};

test("help explains a command, and says of a word that is none that it is none", async () => {
	expect(await help("token")).toContain("portico token create");
	expect(help("tokne")).rejects.toThrow('there is no command "tokne" (did you mean "token"?); portico help lists');
});
