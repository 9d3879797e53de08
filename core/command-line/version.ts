/** `portico version`: what exactly runs here. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isFault } from "../contract/fault.ts";
import { tables } from "../contract/store.ts";
import { runtimeName } from "../runtime/system.ts";
import { buildOnly } from "./inspect.ts";
import { blueprintOf, version } from "./open.ts";
import type { Invocation } from "./settings.ts";

const root = new URL("../../", import.meta.url);

/** In a clone its own commit; in a package the one that it was packed from. */
const commit = (): string => {
	try {
		if (existsSync(new URL(".git", root)))
			return execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
		return readFileSync(new URL("commit", root), "utf8").trim();
	} catch {
		return "unknown";
	}
};

/** The newest migration of every plugin that the config enables. */
const schema = async (invocation: Invocation): Promise<string> => {
	try {
		const generation = await buildOnly(await blueprintOf(invocation, true));
		return generation
			.all(tables)
			.map(({ migrations }) => migrations.at(-1)?.name)
			.join(", ");
	} catch (error) {
		if (isFault(error)) return "unknown, for the config is not good; portico check tells why";
		throw error;
	}
};

export const showVersion = async (invocation: Invocation, print: (line: string) => void): Promise<void> => {
	print(`portico  ${version}`);
	print(`commit   ${commit()}`);
	print(`schema   ${await schema(invocation)}`);
	print(`runtime  ${runtimeName()}`);
};
