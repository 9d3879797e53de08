/** Packages that authors of plugins make, in the shapes that their tools give them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const plugin = (name: string, first = ""): string => `import { definePlugin, t } from "#core";
${first}
export default definePlugin({
	name: ${JSON.stringify(name)},
	summary: "Does nothing.",
	config: t.Object({}, { additionalProperties: false }),
	setup: () => ({}),
});
`;

const imports = { "#core": "portico", "#core/testing": "portico/testing", "#core/plugins/*": "portico/plugins/*" };

/** Files by their paths below the folder of a package. */
type Package = Readonly<Record<string, string>>;

const packed = (description: object, files: Package): Package => ({
	"package.json": JSON.stringify({ type: "module", ...description }),
	...files,
});

/** Each loads as it is installed. */
export const soundPackages: Readonly<Record<string, Package>> = {
	compiled: packed({ exports: "./dist/index.js", imports }, { "dist/index.js": plugin("compiled") }),
	"@scope/compiled": packed({ exports: "./dist/index.js" }, { "dist/index.js": plugin("scoped") }),
	typed: packed(
		{ exports: { ".": { types: "./dist/index.d.ts", import: "./dist/index.js" } }, imports },
		{ "dist/index.js": plugin("typed") },
	),
	dual: packed(
		{ exports: { ".": { require: "./dist/index.cjs", import: "./dist/index.js" } }, imports },
		{ "dist/index.js": plugin("dual"), "dist/index.cjs": "throw new Error('the wrong half');" },
	),
	several: packed({ exports: { "./plugins/*": "./dist/*.js" } }, { "dist/one.js": plugin("one") }),
	hoisting: packed(
		{ exports: "./index.ts", imports },
		{ "index.ts": plugin("hoisting", 'import { words } from "hoisted";\nwords satisfies string;') },
	),
	nesting: packed(
		{ exports: "./index.js", imports },
		{
			"index.js": plugin("nesting", 'import { words } from "nested";\nwords.trim();'),
			"node_modules/nested/package.json": '{ "main": "./index.js" }',
			"node_modules/nested/index.js": 'exports.words = require("hoisted").words;',
		},
	),
};

/** What a config calls them. */
export const soundUses: readonly string[] = Object.keys(soundPackages).map((name) =>
	name === "several" ? "several/plugins/one" : name,
);

const dependency: Package = {
	"package.json": '{ "main": "./index.js" }',
	"index.js": 'exports.words = "found";',
};

/** Writes the files of packages into a folder of packages. */
export const writePackages = (folder: string, packages: Readonly<Record<string, Package>>): void => {
	for (const [name, files] of Object.entries({ ...packages, hoisted: dependency }))
		for (const [file, text] of Object.entries(files)) {
			const path = join(folder, name, file);
			mkdirSync(dirname(path), { recursive: true });
			writeFileSync(path, text);
		}
};
