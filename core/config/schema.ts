/** The JSON Schema (draft-07) of the whole file, for editors: each plugin's settings apply where `use` names it. */
import type { TObject } from "@sinclair/typebox";
import { coreSchema, entrySchema } from "./schema-core.ts";
import { isTuple, literalsOf, type Shape } from "./shape.ts";

interface DescribedPlugin {
	readonly name: string;
	/** As written in `use`. */
	readonly use: string;
	readonly summary: string;
	readonly config: TObject;
}

/** The same plugins give the same schema, in any order and each any number of times. */
export const configSchema = (plugins: readonly DescribedPlugin[]): Shape => {
	const byUse = new Map(plugins.map((plugin) => [plugin.use, plugin]));
	const known = [...byUse.values()].toSorted((one, other) => (one.use < other.use ? -1 : 1));
	const entry = forEditors(entrySchema);
	const use = {
		anyOf: [...known.map(({ use, summary }) => ({ const: use, description: summary })), { type: "string" }],
	};
	const cases = known.map(({ use, summary, config }) => {
		const settings: Shape = { description: summary, ...forEditors(config) };
		return {
			if: { properties: { use: { const: use } } },
			// biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
			then: { properties: { with: settings }, ...(settings.required && { required: ["with"] }) },
		};
	});
	const items = { ...entry, properties: { ...entry.properties, use, with: {} }, allOf: cases };
	const { properties = {}, ...root } = forEditors(coreSchema);
	const list = { ...properties["plugins"], items };
	return {
		$schema: "http://json-schema.org/draft-07/schema#",
		title: "The config file of Portico",
		...root,
		properties: { ...properties, plugins: list },
	};
};

/** `config/portico.schema.json`, byte for byte. */
export const configSchemaText = (plugins: readonly DescribedPlugin[]): string =>
	`${JSON.stringify(configSchema(plugins), undefined, "\t")}\n`;

const reference: Shape = { type: "string", pattern: "\\$\\{" };

/** What editors can use: a setting with a default need not be written, `${…}` may stand for any scalar, a mapping that does not say is closed. */
const forEditors = ({ secret: _, format: __, ...shape }: Shape, open = false): Shape => {
	if (shape.allOf) return { ...shape, allOf: shape.allOf.map((part) => forEditors(part, true)) };
	if (shape.anyOf) return { ...shape, anyOf: [...shape.anyOf.map((part) => forEditors(part)), reference] };
	if (shape.type === "array") {
		const { items = {} } = shape;
		return { ...shape, items: isTuple(items) ? items.map((item) => forEditors(item)) : forEditors(items) };
	}
	if (shape.type === "object") return mapping(shape, open);
	const free = shape.type === "string" && !shape.pattern && literalsOf(shape).length === 0;
	if (free || shape.type === undefined || shape.type === "null") return shape;
	const { description, default: fallback, ...bare } = shape;
	const about = { ...(description && { description }), ...(fallback !== undefined && { default: fallback }) };
	return { ...about, anyOf: [bare, reference] };
};

const mapping = ({ required: given, ...shape }: Shape, open: boolean): Shape => {
	const { properties, patternProperties, additionalProperties: rest = open } = shape;
	const required = given?.filter((key) => properties?.[key]?.default === undefined) ?? [];
	return {
		...shape,
		...(properties && { properties: each(properties) }),
		...(patternProperties && { patternProperties: each(patternProperties) }),
		...(required.length > 0 && { required }),
		additionalProperties: typeof rest === "object" ? forEditors(rest) : rest,
	};
};

const each = (shapes: Readonly<Record<string, Shape>>): Record<string, Shape> =>
	Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, forEditors(shape)]));
