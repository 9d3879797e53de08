/** `docs/settings.md`: every setting of the config file and of tokens, from the schemas. */
import { policies } from "#core";
import { coreSchema, entrySchema } from "../../core/config/schema-core.ts";
import { itemOf, optionsOf, type Shape, wantedBy } from "../../core/config/shape.ts";
import { loadPlugin } from "../../core/host/load.ts";
import { withAllPlugins } from "./all-plugins.ts";
import { code, table } from "./table.ts";

const limits: readonly (readonly [word: string, told: (limit: unknown) => string])[] = [
	["minimum", (limit) => `from ${limit}`],
	["exclusiveMinimum", (limit) => `above ${limit}`],
	["maximum", (limit) => `up to ${limit}`],
	["exclusiveMaximum", (limit) => `below ${limit}`],
	["minItems", (limit) => `at least ${limit}`],
	["maxItems", (limit) => `at most ${limit}`],
];

/** `number from 1`, `list of strings`. */
const typeOf = (shape: Shape): string => {
	const told = limits.flatMap(([word, words]) => (shape[word] === undefined ? [] : words(shape[word])));
	const of = shape.type === "array" ? ` of ${typeOf(itemOf(shape, 0))}` : "";
	const pattern = shape.pattern === undefined ? "" : ` like ${code(shape.pattern)}`;
	return [wantedBy(shape) + of + pattern, ...told, ...(shape.secret === true ? ["secret"] : [])].join(", ");
};

const defaultOf = (shape: Shape, required: boolean): string => {
	const fallback = shape.default;
	if (fallback === undefined) return required ? "must be given" : "";
	return typeof fallback === "object" && Object.keys(fallback ?? {}).length === 0 && shape.type === "object"
		? ""
		: code(JSON.stringify(fallback));
};

type Row = readonly [setting: string, type: string, fallback: string, description: string];

/** The rows of a mapping's members, and of theirs. */
const rowsOf = (shape: Shape, path: string): readonly Row[] => {
	const own = Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
		const here = path === "" ? name : `${path}.${name}`;
		const required = shape.required?.includes(name) === true;
		return [
			[code(here), typeOf(member), defaultOf(member, required), String(member.description ?? "")] as const,
			...rowsOf(member, here),
		];
	});
	const inner: readonly (readonly [Shape, string])[] = [
		...(shape.type === "array" ? [[itemOf(shape, 0), `${path}[]`] as const] : []),
		...(typeof shape.additionalProperties === "object" ? [[shape.additionalProperties, `${path}.NAME`] as const] : []),
		...Object.values(shape.patternProperties ?? {}).map((member) => [member, `${path}.NAME`] as const),
		...(shape.anyOf ? optionsOf(shape).map((option) => [option, path] as const) : []),
		...(shape.allOf ?? []).map((part) => [part, path] as const),
	];
	const seen = new Set(own.map(([name]) => name));
	const below = inner.flatMap(([member, at]) => rowsOf(member, at));
	return [...own, ...below.filter(([name]) => !seen.has(name) && seen.add(name))];
};

const head = ["setting", "what it takes", "default", "what it is"];

const settingsTable = (shape: Shape): string => table(head, rowsOf(shape, "")) || "It has none.";

const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The page as it must be. */
export const settingsPage = async (): Promise<string> => {
	const { rows, tokenSettings } = await withAllPlugins(async ({ portico: { generation } }) => ({
		rows: (generation?.rows ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
		tokenSettings: (generation?.all(policies) ?? []).flatMap(({ name, setting }) =>
			setting ? [{ name, setting }] : [],
		),
	}));
	const plugins = await Promise.all(
		rows.map(async ({ name, summary }) => {
			const { config } = await loadPlugin(name, import.meta.path);
			return `### ${name}\n\n${summary} [More](../plugins/${name}/README.md)\n\n${settingsTable(config as Shape)}`;
		}),
	);
	const { plugins: _, $schema: __, ...sections } = (coreSchema as Shape).properties ?? {};
	const core = Object.entries(sections).map(
		([name, shape]) => `### ${name}\n\n${shape.description ?? ""}\n\n${settingsTable(shape)}`,
	);
	const tokens = tokenSettings
		.toSorted((one, other) => (one.setting.key < other.setting.key ? -1 : 1))
		.flatMap(({ name, setting: { key, schema } }) => [
			[code(key), code(flagOf(key)), code(name), typeOf(schema as Shape), String(schema.description ?? "")],
			...rowsOf(schema as Shape, key).map(([path, type, , description]) => [path, "", "", type, description]),
		]);
	return `# Every setting

Written by \`npm run docs\` from the schemas; a test fails when it is stale. \`portico check\` holds a config to the same schemas, and
editors do with \`config/portico.schema.json\`. In every text \`\${VAR}\`, \`\${VAR:-default}\`, \`\${VAR:?message}\` and
\`\${file:/path}\` are filled in. A secret is never shown again, by no command and no route.

## The file

${core.join("\n\n")}

### plugins

${(coreSchema as Shape).properties?.["plugins"]?.description ?? ""} Each entry has

${settingsTable(entrySchema as Shape)}

## The plugins

${plugins.join("\n\n")}

## Tokens

What a token may carry: in the admin API by its name, on the command line (\`portico token create\`) by its flag. A setting whose
policy is not loaded makes its token refused.

${table(["setting", "flag", "policy", "what it takes", "what it is"], tokens)}
`;
};
