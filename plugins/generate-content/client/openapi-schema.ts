/** Google's Schema (a subset of OpenAPI 3.0 with types in capitals) as JSON Schema, which everything behind this plugin speaks. */
import { definedOnly, isRecord, lookup, type WireRecord } from "#core";
import { typeWord } from "../enum-words.ts";
import { field } from "../fields.ts";

const types = lookup<string>({
	STRING: "string",
	NUMBER: "number",
	INTEGER: "integer",
	BOOLEAN: "boolean",
	ARRAY: "array",
	OBJECT: "object",
	NULL: "null",
});

/** Counts, which proto3 JSON writes as strings. */
const counts = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];
const plain = ["title", "description", "pattern", "minimum", "maximum", "default", "required"];

/** Of JSON Schema alone, which clients write here all the same: keywords, lists of schemas, and schemas by name. */
const keywords = ["const", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "examples"];
const schemaLists = ["oneOf", "allOf", "prefixItems"];
const definitions = ["$defs", "definitions"];

const typesOf = ({ type }: WireRecord): readonly string[] =>
	(Array.isArray(type) ? type : [type]).flatMap((word) => types[typeWord(word) ?? ""] ?? []);

const membersOf = (schema: WireRecord): WireRecord | undefined => {
	const properties = field(schema, "properties");
	if (!isRecord(properties)) return undefined;
	const ordering = field(schema, "propertyOrdering");
	const names = Object.keys(properties);
	const ordered = Array.isArray(ordering)
		? ordering.filter((name) => typeof name === "string" && Object.hasOwn(properties, name))
		: [];
	const sorted = new Set<string>([...ordered.map(String), ...names]);
	return Object.fromEntries([...sorted].map((name) => [name, toJsonSchema(properties[name])]));
};

/** The keywords that are not schemas themselves. */
const plainKeywords = (schema: WireRecord): Record<string, unknown> => {
	const converted: Record<string, unknown> = {};
	for (const name of [...plain, ...keywords]) {
		const value = field(schema, name);
		if (value !== undefined) converted[name] = value;
	}
	for (const name of counts) {
		const count = Number(field(schema, name) ?? Number.NaN);
		if (Number.isSafeInteger(count)) converted[name] = count;
	}
	const format = field(schema, "format");
	if (format !== undefined && format !== "enum") converted["format"] = format;
	const example = field(schema, "example");
	if (example !== undefined) converted["examples"] = [example];
	return converted;
};

/** Type, values and alternatives, which `nullable` adds null to. */
const alternatives = (schema: WireRecord): Record<string, unknown> => {
	const named = typesOf(schema);
	const nullable = schema["nullable"] === true;
	const all = nullable && named.length > 0 && !named.includes("null") ? [...named, "null"] : named;
	const type = all.length > 1 ? all : all[0];
	const values = schema["enum"];
	const anyOf = field(schema, "anyOf");
	return definedOnly({
		type,
		enum: Array.isArray(values) ? (nullable ? [...values, null] : values) : undefined,
		anyOf: Array.isArray(anyOf)
			? [...anyOf.map(toJsonSchema), ...(nullable && type === undefined ? [{ type: "null" }] : [])]
			: undefined,
	});
};

const byName = (schemas: WireRecord): WireRecord =>
	Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]));

/** What only JSON Schema has of schemas within a schema, and references to them. */
const references = (schema: WireRecord): Record<string, unknown> => {
	const converted: Record<string, unknown> = definedOnly({ $ref: schema["$ref"] });
	for (const name of schemaLists) if (Array.isArray(schema[name])) converted[name] = schema[name].map(toJsonSchema);
	for (const name of definitions) if (isRecord(schema[name])) converted[name] = byName(schema[name]);
	return converted;
};

/** The same schema as JSON Schema. What is no schema comes back as one that allows everything. */
export const toJsonSchema = (schema: unknown): WireRecord => {
	if (!isRecord(schema)) return {};
	const items = field(schema, "items");
	const more = field(schema, "additionalProperties");
	return {
		...alternatives(schema),
		...plainKeywords(schema),
		...references(schema),
		...definedOnly({
			properties: membersOf(schema),
			items: isRecord(items) ? toJsonSchema(items) : undefined,
			additionalProperties: isRecord(more) ? toJsonSchema(more) : more,
		}),
	};
};
