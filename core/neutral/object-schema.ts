/** A tool's JSON Schema as vendors demand it: an object at the root, without a reference or alternatives there. */
import { asRecord, asText, isRecord, type WireRecord } from "./json.ts";
import { hasAlternatives, withoutAlternatives } from "./without-alternatives.ts";

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

/** The schema with an object at its root. `widened`: the root allowed less, or something else, than this one does. */
export const objectSchema = (schema: unknown): { readonly schema: WireRecord; readonly widened: boolean } => {
	if (!isRecord(schema)) return { schema: { type: "object", properties: {} }, widened: false };
	const { $ref: _reference, ...own } = schema;
	const root = schema["$ref"] === undefined ? schema : { ...own, ...resolved(schema, schema) };
	if (hasAlternatives(root)) {
		const flat = withoutAlternatives(root, (branch) => resolved(root, branch));
		return { schema: flat ?? { type: "object", properties: {} }, widened: true };
	}
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
