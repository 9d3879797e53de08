/** What a plugin's README must tell: its sections, and its settings, all of them and no others. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { asList, isRecord } from "../neutral/json.ts";

const sections = ["What it does", "Settings", "Example", "Answers"];

/** A setting and everything below it: objects, lists, maps and alternatives are looked into. */
interface SettingPath {
	/** `upstreams.firstByteSeconds` */
	readonly path: string;
	readonly described: boolean;
}

/** Every setting of a schema, at any depth. A setting whose members are all described needs no words of its own. */
export const settingPaths = (schema: TSchema, path = ""): readonly SettingPath[] => {
	const members = Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {});
	const own = members.flatMap(([name, member]) => {
		const here = path === "" ? name : `${path}.${name}`;
		const shape = member as TSchema;
		const below = settingPaths(shape, here);
		return [{ path: here, described: shape.description !== undefined || below.length > 0 }, ...below];
	});
	const inner = [
		schema["items"],
		schema["additionalProperties"],
		...asList(schema["anyOf"]),
		...asList(schema["allOf"]),
		...Object.values(isRecord(schema["patternProperties"]) ? schema["patternProperties"] : {}),
	];
	return [...own, ...inner.filter(isRecord).flatMap((shape) => settingPaths(shape as unknown as TSchema, path))];
};

const lastWord = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** The text of one section, without its heading; undefined when there is none. */
const sectionOf = (text: string, title: string): string | undefined =>
	text
		.split(/^## /m)
		.find((part) => part.startsWith(`${title}\n`))
		?.slice(title.length + 1);

/** Words that a line of a table or of a list begins with, in code: what the section says are settings. */
const claimedSettings = (section: string): readonly string[] =>
	[...section.matchAll(/^(?:\| *|[-*] +)((?:`[^`\n]+`(?: *, *)?)+)/gm)].flatMap(([, words = ""]) =>
		[...words.matchAll(/`([A-Za-z][\w.-]*)(?:\[\])?`/g)].map(([, word = ""]) => word),
	);

/** Words in code anywhere in the section. */
const codeWords = (section: string): ReadonlySet<string> =>
	new Set([...section.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.match(/[\w-]+/g) ?? []));

/** `tokenSettings`: keys of the token settings that the plugin's policies own, which belong to the section too. */
export const readmeComplaints = (
	folder: string,
	schema: TSchema,
	tokenSettings: readonly string[],
): readonly string[] => {
	const file = join(folder, "README.md");
	if (!existsSync(file)) return ["there is no README.md"];
	const text = readFileSync(file, "utf8");
	const missing = sections.filter((title) => sectionOf(text, title) === undefined);
	const section = sectionOf(text, "Settings") ?? "";
	const known = [...settingPaths(schema).map(({ path }) => path), ...tokenSettings];
	const named = codeWords(section);
	const exists = (claimed: string): boolean =>
		known.some((path) => path === claimed || path.endsWith(`.${claimed}`) || lastWord(path) === lastWord(claimed));
	return [
		...missing.map((title) => `README.md has no section "${title}"`),
		...known
			.filter((path) => !named.has(lastWord(path)))
			.map((path) => `README.md does not name the setting \`${path}\` under Settings`),
		...claimedSettings(section)
			.filter((claimed) => !exists(claimed))
			.map((claimed) => `README.md names \`${claimed}\` under Settings, which is none`),
	];
};
