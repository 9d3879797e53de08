/**
 * JSON Schema as Gemini takes it in `parametersJsonSchema` and `responseJsonSchema`: a list of keywords, each known to be
 * taken; others are refused by some of its models, so what has an equivalent is rewritten and the rest left out. Only
 * keywords are touched: a property that is named like one is a property.
 */
import { asText, isRecord, type WireRecord } from "#core";

const kept = new Set([
	"type",
	"format",
	"title",
	"description",
	"enum",
	"minItems",
	"maxItems",
	"uniqueItems",
	"minLength",
	"maxLength",
	"pattern",
	"minimum",
	"maximum",
	"default",
	"propertyOrdering",
]);

const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

type Draft = Record<string, unknown>;

const typesOf = (value: unknown): readonly string[] => {
	const named = (Array.isArray(value) ? value : [value]).flatMap((type) => asText(type)?.toLowerCase() ?? []);
	return [...new Set(named)].filter((type) => types.has(type));
};

/** The type without words that are none. Both spellings of a nullable type come out as a list. */
const addType = (schema: WireRecord, draft: Draft): void => {
	const named = typesOf(schema["type"]);
	const nullable = schema["nullable"] === true && named.length > 0 && !named.includes("null");
	const all = nullable ? [...named, "null"] : named;
	if (all.length === 0) delete draft["type"];
	else draft["type"] = all.length === 1 ? all[0] : all;
};

/** A number may be one that is held as its text. */
const isNumber = (value: unknown): boolean => typeof value === "number" || JSON.isRawJSON(value);

/** Values are strings or numbers there; null becomes part of the type, and of other values only the type remains. */
const addEnum = (schema: WireRecord, draft: Draft): void => {
	const values = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined;
	delete draft["enum"];
	if (!values) return;
	const given = typesOf(draft["type"]);
	const plain = values.filter((value) => typeof value === "string" || isNumber(value));
	const inferred = new Set(given.length > 0 ? given : values.flatMap(typeOfValue));
	if (values.includes(null)) inferred.add("null");
	if (plain.length > 0 && plain.length === values.filter((value) => value !== null).length) draft["enum"] = plain;
	if (inferred.size > 0) draft["type"] = inferred.size === 1 ? [...inferred][0] : [...inferred];
};

const typeOfValue = (value: unknown): readonly string[] => {
	if (value === null) return ["null"];
	if (Array.isArray(value)) return ["array"];
	if (isNumber(value)) return ["number"];
	return types.has(typeof value) ? [typeof value] : [];
};

const moved = (bound: unknown, step: number): unknown =>
	typeof bound === "number" ? bound + step : JSON.rawJSON(String(BigInt(JSON.stringify(bound)) + BigInt(step)));

/** A bound that excludes its own value, as one that includes the next: exact for whole numbers. */
const addBounds = (schema: WireRecord, draft: Draft): void => {
	const step = schema["type"] === "integer" ? 1 : 0;
	const least = schema["exclusiveMinimum"];
	const most = schema["exclusiveMaximum"];
	if (isNumber(least) && draft["minimum"] === undefined) draft["minimum"] = moved(least, step);
	if (isNumber(most) && draft["maximum"] === undefined) draft["maximum"] = moved(most, -step);
};

const cleanMap = (value: unknown): Draft | undefined =>
	isRecord(value)
		? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, cleanSchema(schema)]))
		: undefined;

const cleanList = (value: unknown): readonly unknown[] | undefined =>
	Array.isArray(value) && value.length > 0 ? value.map(cleanSchema) : undefined;

const addObject = (schema: WireRecord, draft: Draft): void => {
	const properties = cleanMap(schema["properties"]);
	if (properties) draft["properties"] = properties;
	const { additionalProperties: more, required } = schema;
	if (typeof more === "boolean") draft["additionalProperties"] = more;
	else if (isRecord(more)) draft["additionalProperties"] = cleanSchema(more);
	if (!Array.isArray(required)) return;
	const names = required.filter((name) => typeof name === "string" && (!properties || Object.hasOwn(properties, name)));
	if (names.length > 0) draft["required"] = names;
};

/** Definitions under either name of the keyword. */
const definitionsOf = (schema: WireRecord): { readonly $defs?: Draft } => {
	const [older, newer] = [cleanMap(schema["definitions"]), cleanMap(schema["$defs"])];
	return older || newer ? { $defs: { ...older, ...newer } } : {};
};

const addParts = (schema: WireRecord, draft: Draft): void => {
	if (isRecord(schema["items"])) draft["items"] = cleanSchema(schema["items"]);
	const tuple = cleanList(schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : undefined));
	if (tuple) draft["prefixItems"] = tuple;
	const anyOf = cleanList(schema["anyOf"]) ?? cleanList(schema["oneOf"]);
	if (anyOf) draft["anyOf"] = anyOf;
	Object.assign(draft, definitionsOf(schema));
};

/** What must all hold at once, as one schema: members together, later keywords over earlier ones. */
const merged = (schema: WireRecord): WireRecord => {
	const { allOf, ...own } = schema;
	if (!Array.isArray(allOf)) return schema;
	const parts = allOf.filter(isRecord);
	const [only] = parts;
	if (parts.length === 1 && only && "$ref" in only && Object.keys(own).every((key) => kept.has(key))) return only;
	const whole: Draft = {};
	const properties: Draft = {};
	const required = new Set<unknown>();
	for (const part of [...parts.map(merged), own]) {
		Object.assign(whole, part);
		if (isRecord(part["properties"])) Object.assign(properties, part["properties"]);
		if (Array.isArray(part["required"])) for (const name of part["required"]) required.add(name);
	}
	if (Object.keys(properties).length > 0) whole["properties"] = properties;
	if (required.size > 0) whole["required"] = [...required];
	return whole;
};

const referenceTo = (target: string): Draft =>
	target.startsWith("#") ? { $ref: target.replace(/^#\/definitions\//, "#/$defs/") } : {};

/** The schema with nothing in it that Gemini refuses. What is no schema comes out as one that allows everything. */
export const cleanSchema = (value: unknown): WireRecord => {
	if (!isRecord(value)) return {};
	const schema = merged(value);
	if (typeof schema["$ref"] === "string") return { ...referenceTo(schema["$ref"]), ...definitionsOf(schema) };
	const draft: Draft = {};
	for (const [name, member] of Object.entries(schema)) if (kept.has(name)) draft[name] = member;
	addType(schema, draft);
	addEnum(schema, draft);
	addBounds(schema, draft);
	addObject(schema, draft);
	addParts(schema, draft);
	return draft;
};

/** A schema for the parameters of a function: an object whatever came. */
export const cleanParameters = (schema: unknown): WireRecord => {
	const clean = cleanSchema(schema);
	if (clean["$ref"] !== undefined || clean["type"] === "object") return clean;
	return { ...clean, type: "object", ...(clean["anyOf"] === undefined && { properties: clean["properties"] ?? {} }) };
};
