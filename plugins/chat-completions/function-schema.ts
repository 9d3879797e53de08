/** Schemas of functions and of answers as OpenAI takes them, enforced or not. */
import { asRecord, type FunctionTool, isRecord, objectSchema, type WireRecord } from "#core";
import type { OpenAiWriting } from "./openai.ts";
import { lacksItems, strictForm } from "./strict-schema.ts";

const named = ["properties", "$defs", "definitions"];
const nested = ["items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"];

/** Lists of anything are said to be; `tuples`: but a list whose members are told one by one. */
const withItems = (schema: unknown, tuples: boolean): unknown => {
	if (Array.isArray(schema)) return schema.map((one) => withItems(one, tuples));
	if (!isRecord(schema)) return schema;
	const copy: Record<string, unknown> = { ...schema };
	for (const word of named)
		if (isRecord(schema[word]))
			copy[word] = Object.fromEntries(
				Object.entries(schema[word]).map(([name, inner]) => [name, withItems(inner, tuples)]),
			);
	for (const word of nested) if (schema[word] !== undefined) copy[word] = withItems(schema[word], tuples);
	const isTuple = tuples && schema["prefixItems"] !== undefined;
	return lacksItems(schema) && !isTuple ? { ...copy, items: {} } : copy;
};

/**
 * A schema of another protocol's client: with items for every list, and its objects closed where it is to be enforced and
 * that does not change what it allows.
 */
export const fittingSchema = (schema: unknown, strict: boolean | undefined, tuples = false): unknown => {
	const fitting = withItems(schema, tuples);
	return (strict === true ? strictForm(fitting) : undefined) ?? fitting;
};

/** The parameters of a function that a client of another protocol offers: an object's. What they had to be widened by is told. */
export const functionSchema = (tool: FunctionTool, { losses, context }: OpenAiWriting): WireRecord => {
	const { schema, widened } = objectSchema(tool.schema);
	if (widened) losses.node(tool, `the schema of "${tool.name}" had to be widened to an object`);
	return asRecord(fittingSchema(schema, tool.strict, context.capabilities.typedUnions === false));
};
