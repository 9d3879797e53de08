/**
 * Schemas of tools for those who refuse a whole request for the way in which one says what it takes: Moonshot's validator a
 * type beside the alternatives that are of it, and the members of a tuple as `items`; others alternatives at the root.
 */
import { isRecord } from "./json.ts";
import type { Losses } from "./losses.ts";
import { objectSchema } from "./object-schema.ts";
import { inPlaceOf } from "./place.ts";
import type { Tool } from "./request.ts";

const named = ["properties", "patternProperties", "$defs", "definitions"];
const nested = ["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"];

const ofType = (branch: unknown, type: unknown): unknown =>
	isRecord(branch) && branch["type"] === undefined && branch["$ref"] === undefined ? { type, ...branch } : branch;

/** The root keeps its type, which is demanded there. */
const plain = (schema: unknown, isRoot: boolean): unknown => {
	if (Array.isArray(schema)) return schema.map((one) => plain(one, false));
	if (!isRecord(schema)) return schema;
	const made: Record<string, unknown> = { ...schema };
	for (const word of named)
		if (isRecord(made[word]))
			made[word] = Object.fromEntries(Object.entries(made[word]).map(([name, inner]) => [name, plain(inner, false)]));
	for (const word of nested) if (made[word] !== undefined) made[word] = plain(made[word], false);
	if (Array.isArray(made["items"])) {
		made["prefixItems"] = made["items"];
		delete made["items"];
	}
	const { type, anyOf, ...rest } = made;
	if (isRoot || type === undefined || !Array.isArray(anyOf)) return made;
	return { ...rest, anyOf: anyOf.map((branch) => ofType(branch, type)) };
};

/** The tools, which allow what they did. */
export const withPlainUnions = (tools: readonly Tool[]): readonly Tool[] =>
	tools.map((tool) =>
		tool.type === "function" ? inPlaceOf({ ...tool, schema: plain(tool.schema, true) }, tool) : tool,
	);

/** The tools with an object at the root of each, which may allow more; that is told. */
export const withObjectRoots = (tools: readonly Tool[], losses: Losses): readonly Tool[] =>
	tools.map((tool) => {
		if (tool.type !== "function") return tool;
		const { schema, widened } = objectSchema(tool.schema);
		if (widened) losses.node(tool, `the schema of "${tool.name}" had to be widened to an object`);
		return inPlaceOf({ ...tool, schema }, tool);
	});
