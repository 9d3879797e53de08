/** The schema subset that OpenAI calls strict, and a schema as part of it. */
import { isDeepStrictEqual } from "node:util";
import { asList, asRecord, isRecord, type WireRecord } from "#core";

/** Members that hold schemas by name, and members that hold one schema or a list of them. */
const named = ["properties", "$defs", "definitions"] as const;
const nested = ["items", "anyOf"] as const;

/** Words that strict decoding does not know. */
const loose = (
	"oneOf allOf not if patternProperties propertyNames unevaluatedProperties minProperties maxProperties prefixItems " +
	"contains uniqueItems unevaluatedItems"
).split(" ");

/** The formats that it knows; any other is refused. */
const formats: ReadonlySet<unknown> = new Set("date-time time date duration email hostname ipv4 ipv6 uuid".split(" "));

const besideReference = ["$ref", "$defs", "definitions"];

/** Whether it is a list of which nobody says what it holds: OpenAI refuses such a schema, whoever takes it elsewhere. */
export const lacksItems = ({ type, items }: WireRecord): boolean =>
	items === undefined && (type === "array" || asList(type).includes("array"));

/** A strict schema says what a value is by one of these. */
const sorts = ["type", "properties", "anyOf", "enum", "const", "$ref"] as const;

class NotStrict extends Error {}

/** Without the width of a number, which JSON does not tell. A text in a format that is not known cannot be held to it. */
const withoutFormat = (schema: WireRecord): Record<string, unknown> => {
	const { format, ...rest } = schema;
	const types = [schema["type"]].flat();
	if (format === undefined || formats.has(format)) return { ...schema };
	if (!types.includes("integer") && !types.includes("number")) throw new NotStrict();
	return rest;
};

const closed = (schema: unknown): unknown => {
	if (Array.isArray(schema)) return schema.map(closed);
	if (!isRecord(schema)) throw new NotStrict();
	if (loose.some((word) => schema[word] !== undefined)) throw new NotStrict();
	if (sorts.every((word) => schema[word] === undefined)) throw new NotStrict();
	// A reference may have nothing beside it but the definitions of the whole schema.
	if (schema["$ref"] !== undefined && Object.keys(schema).some((word) => !besideReference.includes(word)))
		throw new NotStrict();
	if (lacksItems(schema)) throw new NotStrict();
	// All members are required, so none has a default; Azure refuses the word.
	const { default: _, ...copy } = withoutFormat(schema);
	for (const word of named)
		if (isRecord(schema[word]))
			copy[word] = Object.fromEntries(Object.entries(schema[word]).map(([name, inner]) => [name, closed(inner)]));
	for (const word of nested) if (schema[word] !== undefined) copy[word] = closed(schema[word]);
	return isObject(schema) ? { ...copy, ...closure(schema) } : copy;
};

const isObject = (schema: WireRecord): boolean =>
	schema["type"] === "object" || asList(schema["type"]).includes("object") || schema["properties"] !== undefined;

/** An object with optional members, or with members that are not named, cannot be closed without changing its sense. */
const closure = (schema: WireRecord): WireRecord => {
	const { additionalProperties } = schema;
	const isOpen = additionalProperties !== undefined && additionalProperties !== false;
	const isFreeForm = !isRecord(schema["properties"]) && additionalProperties !== false;
	const required = new Set(asList(schema["required"]));
	const isOptional = (name: string): boolean => !required.has(name);
	if (isOpen || isFreeForm || Object.keys(asRecord(schema["properties"])).some(isOptional)) throw new NotStrict();
	return { additionalProperties: false };
};

/**
 * The schema in its strict form: every object closed. Undefined when closing it would change what it allows (optional
 * members, free-form objects): such a function is called without strictness.
 */
export const strictForm = (schema: unknown): unknown => {
	try {
		return closed(schema);
	} catch (error) {
		if (error instanceof NotStrict) return undefined;
		throw error;
	}
};

/** Whether `strict` may be said of the schema as it is. */
export const isStrict = (schema: unknown): boolean => {
	const strict = strictForm(schema);
	return strict !== undefined && isDeepStrictEqual(strict, schema);
};
