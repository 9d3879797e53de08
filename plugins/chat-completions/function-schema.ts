/** Schemas of functions and of answers as OpenAI takes them, enforced or not. */
import { asRecord, type FunctionTool, isRecord, objectSchema, type WireRecord } from "#core";
import type { OpenAiWriting } from "./openai.ts";
import { lacksItems, strictForm } from "./strict-schema.ts";

const named = ["properties", "$defs", "definitions"];
const nested = ["items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"];

/** Lists of anything are said to be. */
const withItems = (schema: unknown): unknown => {
	if (Array.isArray(schema)) return schema.map(withItems);
	if (!isRecord(schema)) return schema;
	const copy: Record<string, unknown> = { ...schema };
	for (const word of named)
		if (isRecord(schema[word]))
			copy[word] = Object.fromEntries(Object.entries(schema[word]).map(([name, inner]) => [name, withItems(inner)]));
	for (const word of nested) if (schema[word] !== undefined) copy[word] = withItems(schema[word]);
	return lacksItems(schema) ? { ...copy, items: {} } : copy;
};

/**
 * A schema of another protocol's client: with items for every list, and its objects closed where it is to be enforced and
 * that does not change what it allows.
 */
export const fittingSchema = (schema: unknown, strict: boolean | undefined): unknown => {
	const fitting = withItems(schema);
	return (strict === true ? strictForm(fitting) : undefined) ?? fitting;
};

/** The parameters of a function that a client of another protocol offers: an object's. What they had to be widened by is told. */
export const functionSchema = (tool: FunctionTool, { losses }: OpenAiWriting): WireRecord => {
	const { schema, widened } = objectSchema(tool.schema);
	if (widened) losses.node(tool, `the schema of "${tool.name}" had to be widened to an object`);
	return asRecord(fittingSchema(schema, tool.strict));
};
