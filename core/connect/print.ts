/** Settings as text to copy: what is not to be copied begins with `#`, so that variables can be given to a shell as they are. */
import { stringify } from "yaml";
import type { Client, Gateway, Setting } from "./client.ts";

/** A word as a shell takes it; where it names the variable of the key, the shell puts in the key, and nothing else. */
const quoted = (word: string): string => {
	if (/\$PORTICO_KEY\b/.test(word)) return `"${word.replace(/["\\`]|\$(?!PORTICO_KEY\b)/g, "\\$&")}"`;
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
};

export const commandLine = (words: readonly string[]): string => words.map(quoted).join(" ");

const longestLine = 80;

/** A long command goes on in the next line before each option. */
const brokenLine = (words: readonly string[]): string => {
	const line = commandLine(words);
	if (line.length <= longestLine) return line;
	const parts = words.map((word, at) => (at > 0 && /^-\w/.test(word) ? ` \\\n  ${quoted(word)}` : ` ${quoted(word)}`));
	return parts.join("").trimStart();
};

export const exportLines = (variables: Readonly<Record<string, string>>): readonly string[] =>
	Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);

/** `name = "value"`: JSON's way to write text is TOML's too. */
export const tomlLines = (members: Readonly<Record<string, string>>): readonly string[] =>
	Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);

/** One thing to copy as it stands. */
interface ConnectPart {
	/** Where it belongs: "in ~/.codex/config.toml"; absent for what a person does by hand. */
	readonly place?: string;
	readonly text: string;
}

const partOf = (setting: Setting): ConnectPart => {
	if (setting.kind === "environment") {
		const place =
			setting.file === undefined ? "in the environment" : `in the environment, or in ${setting.file} without "export"`;
		return { place, text: exportLines(setting.variables).join("\n") };
	}
	if (setting.kind === "command") return { place: "run", text: brokenLine(setting.words) };
	if (setting.kind === "steps")
		return { text: setting.steps.map((step, at) => `${at + 1}. ${step.replace(/[\r\n]+/g, " ")}`).join("\n") };
	const place = `in ${setting.file}`;
	if (setting.kind === "toml") {
		const lines = [...tomlLines(setting.top), "", `[${setting.table}]`, ...tomlLines(setting.members)];
		return { place, text: lines.join("\n") };
	}
	const whole = { ...setting.once, ...setting.content };
	const text = setting.kind === "json" ? JSON.stringify(whole, undefined, 2) : stringify(whole, { lineWidth: 0 });
	return { place, text: text.trimEnd() };
};

/** All settings of a client, each apart: files take no more than what is theirs. */
export const connectParts = (client: Client, gateway: Gateway): readonly ConnectPart[] =>
	client.settings(gateway).map(partOf);

/** All settings of a client, as `portico connect` prints them. */
export const connectText = (client: Client, gateway: Gateway): string => {
	const parts = connectParts(client, gateway).map(({ place, text }) =>
		place === undefined ? text.replace(/^/gm, "# ") : `# ${place}\n${text}`,
	);
	const note = client.note === undefined ? "" : `\n# ${client.note}`;
	return [`# ${client.title}${note}`, ...parts].join("\n\n");
};
