/** A schema of another protocol's client as OpenAI takes it, enforced or not. */
import { isRecord } from "#core";
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
