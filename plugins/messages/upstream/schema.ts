/** JSON Schemas that upstreams of this protocol enforce: a closed subset. */
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

/** Objects that must all hold at once, as one: closed each for itself, they would exclude each other's members. */
const inOne = (schema: WireRecord): WireRecord => {
	const { allOf, ...own } = schema;
	const parts = asList(allOf).map((part) => inOne(asRecord(part)));
	if (!parts.some(({ properties }) => properties !== undefined)) return schema;
	const all = [...parts, own];
	const required = new Set(all.flatMap((part) => asList(part["required"])));
	return {
		...Object.assign({}, ...all),
		properties: Object.assign({}, ...all.map((part) => asRecord(part["properties"]))),
		...(required.size > 0 && { required: [...required] }),
	};
};

/**
 * The schema within the subset that upstreams enforce: objects are closed, alternatives are `anyOf`, and limits that
 * cannot be enforced are told to the model in the description.
 */
export const closedSchema = (given: unknown): unknown => {
	if (!isRecord(given)) return given;
	const schema = inOne(given);
	const draft: Draft = {};
	const told: string[] = [];
	for (const [keyword, value] of Object.entries(schema)) {
		if (isTaken(keyword, value)) draft[keyword] = inner(keyword, value, closedSchema);
		else if (!silent.has(keyword)) told.push(`${keyword}: ${JSON.stringify(value)}`);
	}
	// Places of a list cannot be told apart: each may hold what any of them does.
	const places = asList(schema["prefixItems"]);
	if (places.length > 0) draft["items"] = { anyOf: places.map(closedSchema) };
	if (schema["oneOf"] !== undefined) draft["anyOf"] = inner("anyOf", schema["oneOf"], closedSchema);
	const mayBeObject = asList(schema["type"]).includes("object");
	if (mayBeObject || schema["type"] === "object" || schema["properties"] !== undefined) {
		// An object that may also be null stays so.
		if (!mayBeObject) draft["type"] = "object";
		draft["additionalProperties"] = false;
	} else delete draft["additionalProperties"];
	if (told.length === 0) return draft;
	const before = asText(schema["description"]);
	return { ...draft, description: `${before === undefined ? "" : `${before}\n\n`}{${told.join(", ")}}` };
};
