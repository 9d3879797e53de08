/** Writes a client's settings into its files and keeps a copy of each file as it was. */
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Setting } from "./client.ts";
import { type FileSetting, mergeSetting } from "./merge.ts";

interface WrittenFile {
	readonly file: string;
	/** The file as it was before; undefined where there was none. */
	readonly copy?: string;
	/** False when it held all of it already. */
	readonly changed: boolean;
}

const hasFile = (setting: Setting): setting is FileSetting => "file" in setting && setting.file !== undefined;

const freeName = (path: string): string => {
	for (let count = 1; ; count++) {
		const name = `${path}.before-portico${count === 1 ? "" : `-${count}`}`;
		if (!existsSync(name)) return name;
	}
};

interface Plan extends WrittenFile {
	readonly text: string;
}

const plan = (setting: FileSetting, home: string): Plan => {
	const named = setting.file.startsWith("~/") ? join(home, setting.file.slice(2)) : resolve(setting.file);
	const file = existsSync(named) ? realpathSync(named) : named;
	const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
	const text = mergeSetting(before ?? "", setting);
	return { file, text, changed: text !== before, ...(before !== undefined && { copy: freeName(file) }) };
};

/** All files or, where one cannot be merged, none. A new file may be read by its owner alone, for it holds a key. */
export const writeSettings = (settings: readonly Setting[], home: string): readonly WrittenFile[] => {
	const plans = settings.filter(hasFile).map((setting) => plan(setting, home));
	for (const { file, text, copy, changed } of plans) {
		if (!changed) continue;
		mkdirSync(dirname(file), { recursive: true });
		if (copy !== undefined) copyFileSync(file, copy);
		const mode = copy === undefined ? 0o600 : statSync(file).mode & 0o777;
		writeFileSync(`${file}.partial`, text, { mode });
		renameSync(`${file}.partial`, file);
	}
	return plans;
};
