/** A plugin as a stranger has it: plain JavaScript in a folder outside the checkout, where `#core` is the package `portico`. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface Stranger {
	/** Where the plugin stands: what a config names. */
	readonly file: string;
	remove(): void;
}

const imports = { "#core": "portico", "#core/plugins/*": "portico/plugins/*" };

export const writeStranger = (plugin: string): Stranger => {
	const folder = mkdtempSync(join(tmpdir(), "portico-odd-"));
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(resolve(import.meta.dir, "../.."), join(folder, "node_modules/portico"));
	writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", imports }));
	const file = join(folder, "odd.js");
	writeFileSync(file, plugin);
	return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
