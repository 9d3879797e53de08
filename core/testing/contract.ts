/** The contract check: what every plugin keeps to, ours and a stranger's. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TObject, TSchema } from "@sinclair/typebox";
import { loadPlugin } from "../host/load.ts";
import type { Plugin } from "../plugin/define.ts";

const sections = ["What it does", "Settings", "Example", "Answers"];

/** Settings without a description, at any depth, by path. */
const undescribed = (schema: TSchema, path = ""): readonly string[] => {
	const members = Object.entries((schema as Partial<TObject>).properties ?? {});
	return members.flatMap(([name, member]) => {
		const here = path === "" ? name : `${path}.${name}`;
		const below = undescribed((member["items"] as TSchema | undefined) ?? member, here);
		return [
			...(member.description === undefined && below.length === 0 && member["properties"] === undefined ? [here] : []),
			...below,
		];
	});
};

const schemaComplaints = ({ config }: Plugin): readonly string[] => [
	...(config.additionalProperties === false
		? []
		: ["the settings are not closed; give the object { additionalProperties: false }"]),
	...undescribed(config).map((path) => `the setting "${path}" has no description`),
];

const readmeComplaints = (folder: string, { config }: Plugin): readonly string[] => {
	const file = join(folder, "README.md");
	if (!existsSync(file)) return ["there is no README.md"];
	const text = readFileSync(file, "utf8");
	return [
		...sections
			.filter((section) => !text.includes(`## ${section}`))
			.map((section) => `README.md has no section "${section}"`),
		...Object.keys(config.properties)
			.filter((name) => !text.includes(`\`${name}`))
			.map((name) => `README.md does not name the setting \`${name}\``),
	];
};

/** The YAML examples of a plugin's README: items of `plugins`, or whole files. */
export const readmeExamples = (folder: string): readonly string[] =>
	[...readFileSync(join(folder, "README.md"), "utf8").matchAll(/```ya?ml\n([\s\S]*?)```/g)].map(
		([, example = ""]) => example,
	);

/**
 * Checks the plugin of a folder: name, summary, settings, README. Returns complaints, none when all is well. That
 * set-up opens nothing is checked by building it, as `portico check` does with the README's example.
 */
export const checkPlugin = async (folder: string): Promise<readonly string[]> => {
	const plugin = await loadPlugin(join(folder, "index.ts"), pathToFileURL(folder).pathname);
	return [
		...(plugin.name === basename(folder) ? [] : [`it is called "${plugin.name}", its folder "${basename(folder)}"`]),
		...(/^[A-Z][^\n]*[.]$/.test(plugin.summary) ? [] : ["its summary is not one sentence that ends with a full stop"]),
		...schemaComplaints(plugin),
		...readmeComplaints(folder, plugin),
	];
};
