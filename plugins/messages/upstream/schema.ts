/** JSON Schemas as this protocol takes them: for tools an object at the root, for structured output a closed subset. */
import { asList, asRecord, asText, isRecord, type WireRecord } from "#core";

type Draft = Record<string, unknown>;

const mapOf = (value: unknown, change: (schema: unknown) => unknown): Draft => {
	const changed: Draft = {};
	for (const [name, schema] of Object.entries(asRecord(value))) changed[name] = change(schema);
	return changed;
};

/** Applies `change` to every schema within a schema, not to names that only look like keywords. */
const inner = (keyword: string, value: unknown, change: (schema: unknown) => unknown): unknown => {
	switch (keyword) {
		case "properties":
		case "$defs":
		case "definitions":
			return mapOf(value, change);
		case "anyOf":
		case "allOf":
		case "oneOf":
		case "prefixItems":
			return asList(value).map(change);
		case "items":
		case "additionalProperties":
			return isRecord(value) ? change(value) : value;
		default:
			return value;
	}
};

/** What a reference that begins with `#/` names in its document. */
export const referredIn = (root: unknown, reference: string): unknown => {
	let target: unknown = root;
	for (const step of reference.slice(2).split("/"))
		target = asRecord(target)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
	return target;
};

const resolved = (root: WireRecord, schema: unknown, depth = 0): WireRecord => {
	const told = asRecord(schema);
	const reference = asText(told["$ref"]);
	if (reference === undefined || !reference.startsWith("#/") || depth > 8) return told;
	return resolved(root, referredIn(root, reference), depth + 1);
};

/** Whether a schema's root is an object's, said by itself or by what it refers to. */
export const isObjectSchema = (schema: unknown): boolean =>
	isRecord(schema) && resolved(schema, schema)["type"] === "object";

const strings = (value: unknown): readonly string[] => asList(value).filter((item) => typeof item === "string");

/** Alternatives at the root are refused: what any of them allows is allowed, what all demand is demanded. */
const withoutAlternatives = (root: WireRecord): Draft => {
	const { anyOf, oneOf, allOf, ...rest } = root;
	const all = asList(allOf).map((branch) => resolved(root, branch));
	const any = [...asList(anyOf), ...asList(oneOf)].map((branch) => resolved(root, branch));
	const properties: Draft = {};
	for (const branch of [...any, ...all, rest]) Object.assign(properties, asRecord(branch["properties"]));
	const [first, ...others] = any.map((branch) => strings(branch["required"]));
	const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
	const required = new Set([...strings(rest["required"]), ...all.flatMap((b) => strings(b["required"])), ...common]);
	return { ...rest, type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
};

const alternatives = ["anyOf", "oneOf", "allOf"];

/** A tool's input schema. `widened`: the root allowed less than this one does. */
export const toolSchema = (schema: unknown): { readonly schema: WireRecord; readonly widened: boolean } => {
	if (!isRecord(schema)) return { schema: { type: "object", properties: {} }, widened: false };
	const { $ref: _reference, ...own } = schema;
	const root = schema["$ref"] === undefined ? schema : { ...own, ...resolved(schema, schema) };
	if (alternatives.some((keyword) => root[keyword] !== undefined))
		return { schema: withoutAlternatives(root), widened: true };
	const { type } = root;
	const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
	if (!isObject) return { schema: { type: "object", properties: {} }, widened: true };
	return { schema: { ...root, type: "object", properties: asRecord(root["properties"]) }, widened: false };
};

const kept = new Set(
	(
		"type enum const anyOf allOf description title default properties required items $ref $defs definitions format minItems " +
		"additionalProperties"
	).split(" "),
);
const silent = new Set(["$schema", "$id", "$comment", "oneOf"]);
const formats = new Set("date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "));

const isTaken = (keyword: string, value: unknown): boolean => {
	if (keyword === "format") return typeof value === "string" && formats.has(value);
	if (keyword === "minItems") return value === 0 || value === 1;
	return kept.has(keyword);
};

/**
 * The schema within the subset that upstreams enforce: objects are closed, alternatives are `anyOf`, and limits that
 * cannot be enforced are told to the model in the description.
 */
export const closedSchema = (schema: unknown): unknown => {
	if (!isRecord(schema)) return schema;
	const draft: Draft = {};
	const told: string[] = [];
	for (const [keyword, value] of Object.entries(schema)) {
		if (isTaken(keyword, value)) draft[keyword] = inner(keyword, value, closedSchema);
		else if (!silent.has(keyword)) told.push(`${keyword}: ${JSON.stringify(value)}`);
	}
	if (schema["oneOf"] !== undefined) draft["anyOf"] = inner("anyOf", schema["oneOf"], closedSchema);
	if (schema["type"] === "object" || schema["properties"] !== undefined) {
		draft["type"] = "object";
		draft["additionalProperties"] = false;
	} else delete draft["additionalProperties"];
	if (told.length === 0) return draft;
	const before = asText(schema["description"]);
	return { ...draft, description: `${before === undefined ? "" : `${before}\n\n`}{${told.join(", ")}}` };
};
