/** A tool's JSON Schema as vendors demand it: an object at the root, without a reference or alternatives there. */
import { isDeepStrictEqual } from "node:util";
import { asList, asRecord, asText, isRecord, type WireRecord } from "./json.ts";

type Draft = Record<string, unknown>;

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

const strings = (value: unknown): readonly string[] => asList(value).filter((item) => typeof item === "string");

const alternatives = ["anyOf", "oneOf", "allOf"];

const hasAlternatives = (schema: WireRecord): boolean => alternatives.some((keyword) => schema[keyword] !== undefined);

/** Alternatives may have alternatives of their own; one that refers to itself has an end. */
const flattened = (root: WireRecord, schema: WireRecord, depth: number): WireRecord =>
	depth > 8 || !hasAlternatives(schema) ? schema : withoutAlternatives(root, schema, depth);

/** Members of alternatives under one name: each may be meant. */
const either = (branches: readonly WireRecord[]): Draft => {
	const found = new Map<string, unknown[]>();
	for (const branch of branches)
		for (const [name, schema] of Object.entries(asRecord(branch["properties"]))) {
			const known = found.get(name) ?? [];
			if (!known.some((one) => isDeepStrictEqual(one, schema))) found.set(name, [...known, schema]);
		}
	return Object.fromEntries([...found].map(([name, all]) => [name, all.length === 1 ? all[0] : { anyOf: all }]));
};

/** Alternatives at the root are refused: what any of them allows is allowed, what all demand is demanded. */
const withoutAlternatives = (root: WireRecord, schema: WireRecord, depth: number): Draft => {
	const { anyOf, oneOf, allOf, ...rest } = schema;
	const flat = (branch: unknown): WireRecord => flattened(root, resolved(root, branch), depth + 1);
	const all = asList(allOf).map(flat);
	const any = [...asList(anyOf), ...asList(oneOf)].map(flat);
	const properties = either(any);
	for (const branch of [...all, rest]) Object.assign(properties, asRecord(branch["properties"]));
	const [first, ...others] = any.map((branch) => strings(branch["required"]));
	const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
	const required = new Set([...strings(rest["required"]), ...all.flatMap((b) => strings(b["required"])), ...common]);
	return { ...rest, type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
};

/** The schema with an object at its root. `widened`: the root allowed less, or something else, than this one does. */
export const objectSchema = (schema: unknown): { readonly schema: WireRecord; readonly widened: boolean } => {
	if (!isRecord(schema)) return { schema: { type: "object", properties: {} }, widened: false };
	const { $ref: _reference, ...own } = schema;
	const root = schema["$ref"] === undefined ? schema : { ...own, ...resolved(schema, schema) };
	if (hasAlternatives(root)) return { schema: withoutAlternatives(root, root, 0), widened: true };
	const { type } = root;
	const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
	if (!isObject) return { schema: { type: "object", properties: {} }, widened: true };
	return { schema: { ...root, type: "object", properties: asRecord(root["properties"]) }, widened: false };
};

/** The schema of an object, its root without a reference; undefined for one that says anything else. */
export const asObjectSchema = (schema: unknown): WireRecord | undefined => {
	if (!isRecord(schema) || resolved(schema, schema)["type"] !== "object") return undefined;
	const { schema: root, widened } = objectSchema(schema);
	if (widened) return undefined;
	return schema["$ref"] === undefined ? schema : root;
};

/** The schema with what it is said to be, where there is no field beside it that says so. */
export const describedSchema = (schema: unknown, description: unknown): unknown =>
	description === undefined || !isRecord(schema) || "description" in schema ? schema : { ...schema, description };
