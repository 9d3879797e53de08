/** What values a schema names, as Gemini takes it: `type` and `enum`, of which the latter holds texts and numbers alone. */
import { asText, isRecord, type WireRecord } from "#core";

const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

export type Draft = Record<string, unknown>;

const typesOf = (value: unknown): readonly string[] => {
	const named = (Array.isArray(value) ? value : [value]).flatMap((type) => asText(type)?.toLowerCase() ?? []);
	return [...new Set(named)].filter((type) => types.has(type));
};

/** The type without words that are none. Both spellings of a nullable type come out as a list. */
export const addType = (schema: WireRecord, draft: Draft): void => {
	const named = typesOf(schema["type"]);
	const nullable = schema["nullable"] === true && named.length > 0 && !named.includes("null");
	const all = nullable ? [...named, "null"] : named;
	if (all.length === 0) delete draft["type"];
	else draft["type"] = all.length === 1 ? all[0] : all;
};

/** A number may be one that is held as its text. */
export const isNumber = (value: unknown): boolean => typeof value === "number" || JSON.isRawJSON(value);

const isPlain = (value: unknown): boolean => typeof value === "string" || isNumber(value);

const typeOfValue = (value: unknown): readonly string[] => {
	if (value === null) return ["null"];
	if (Array.isArray(value)) return ["array"];
	if (isNumber(value)) return ["number"];
	return types.has(typeof value) ? [typeof value] : [];
};

const oneOrAll = (named: readonly string[]): unknown => (named.length === 1 ? named[0] : named);

const valuesOf = (schema: WireRecord): readonly unknown[] | undefined => {
	if (Array.isArray(schema["enum"])) return schema["enum"];
	return "const" in schema ? [schema["const"]] : undefined;
};

const namesBothTruths = (values: readonly unknown[]): boolean => values.includes(true) && values.includes(false);

/** Texts and numbers beside both truth values: an alternative of its own for each of them, and nothing is lost. */
const besideTruths = (
	schema: WireRecord,
	values: readonly unknown[],
	given: readonly string[],
): readonly Draft[] | undefined => {
	const rest = values.filter((value) => typeof value !== "boolean");
	const isFree = schema["anyOf"] === undefined && schema["oneOf"] === undefined;
	const mayBeTruth = given.length === 0 || given.includes("boolean");
	if (!namesBothTruths(values) || rest.length === 0 || !isFree || !mayBeTruth) return undefined;
	if (!rest.every((value) => isPlain(value) || value === null)) return undefined;
	const plain = rest.filter(isPlain);
	const type = oneOrAll([...new Set(rest.flatMap(typeOfValue))]);
	return [{ type, ...(plain.length > 0 && { enum: plain }) }, { type: "boolean" }];
};

/**
 * Null becomes part of the type, and of values that are neither texts nor numbers only the type remains. The answer is
 * whether that allows more than the schema does.
 */
export const addEnum = (schema: WireRecord, draft: Draft): boolean => {
	const values = valuesOf(schema);
	delete draft["enum"];
	if (!values) return false;
	const given = typesOf(draft["type"]);
	const alternatives = besideTruths(schema, values, given);
	if (alternatives) {
		delete draft["type"];
		draft["anyOf"] = alternatives;
		return false;
	}
	const plain = values.filter(isPlain);
	const others = values.filter((value) => !isPlain(value) && value !== null);
	const inferred = new Set(given.length > 0 ? given : values.flatMap(typeOfValue));
	if (values.includes(null)) inferred.add("null");
	if (plain.length > 0 && others.length === 0) draft["enum"] = plain;
	if (inferred.size > 0) draft["type"] = oneOrAll([...inferred]);
	return others.length > 0 && !(namesBothTruths(values) && plain.length === 0 && others.length === 2);
};

/** The names that an object's members may have, where a schema of them lists some. */
export const listedNames = (schema: unknown): readonly string[] | undefined => {
	if (!isRecord(schema)) return undefined;
	const values = valuesOf(schema) ?? [];
	const names = values.filter((value) => typeof value === "string");
	return names.length > 0 && names.length === values.length ? names : undefined;
};
