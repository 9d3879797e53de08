/**
 * Names of the members of tools' arguments. Anthropic takes ASCII letters, digits and `_.-`, 64 at most, and refuses the
 * whole request for one that is another (`filter[id]`, `$top`): such a member has a name that fits, and its own again in a call.
 */
import {
	asList,
	asRecord,
	type CalledTool,
	DistinctNames,
	type FunctionTool,
	isRecord,
	type NeutralRequest,
	objectSchema,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";

const longest = 64;
const taken = /^[\w.-]{1,64}$/;

const entriesOf = (value: unknown, name: (name: string) => string, change: (schema: unknown) => unknown): WireRecord =>
	Object.fromEntries(Object.entries(asRecord(value)).map(([own, schema]) => [name(own), change(schema)]));

const plain = (name: string): string => name;

/** The schema with other names of members, wherever they stand in it. */
const renamed = (schema: unknown, name: (name: string) => string): unknown => {
	if (Array.isArray(schema)) return schema.map((part) => renamed(part, name));
	if (!isRecord(schema)) return schema;
	const change = (inner: unknown): unknown => renamed(inner, name);
	const draft: Record<string, unknown> = { ...schema };
	for (const [keyword, value] of Object.entries(schema))
		switch (keyword) {
			case "properties":
				draft[keyword] = entriesOf(value, name, change);
				break;
			case "required":
				draft[keyword] = asList(value).map((own) => (typeof own === "string" ? name(own) : own));
				break;
			case "$defs":
			case "definitions":
				draft[keyword] = entriesOf(value, plain, change);
				break;
			case "items":
			case "prefixItems":
			case "anyOf":
			case "oneOf":
			case "allOf":
			case "additionalProperties":
				draft[keyword] = change(value);
		}
	return draft;
};

/** Names that fit by those that do not; undefined where all do. */
const fittingNames = (schema: unknown): ReadonlyMap<string, string> | undefined => {
	const names = new Set<string>();
	renamed(schema, (name) => {
		names.add(name);
		return name;
	});
	const odd = [...names].filter((name) => !taken.test(name));
	if (odd.length === 0) return undefined;
	const distinct = new DistinctNames(names, longest);
	return new Map(odd.map((own) => [own, distinct.take(own.replace(/[^\w.-]/g, "_").slice(0, 60) || "_")]));
};

/** The schema as it is sent. */
export const withFittingNames = (schema: WireRecord): WireRecord => {
	const fitting = fittingNames(schema);
	return fitting === undefined ? schema : asRecord(renamed(schema, (name) => fitting.get(name) ?? name));
};

/** The members' own names by those that are sent for the schema; undefined where they are the same. */
export const ownNamesIn = (schema: WireRecord): ReadonlyMap<string, string> | undefined => {
	const fitting = fittingNames(schema);
	return fitting && new Map([...fitting].map(([own, sent]) => [sent, own]));
};

/** The members' own names by those that were sent for the called tool; undefined where they are the same. */
export const ownNames = (called: CalledTool, request: NeutralRequest): ReadonlyMap<string, string> | undefined => {
	if (request.protocol === protocolName) return undefined;
	const isCalled = (tool: { readonly type: string }): tool is FunctionTool =>
		tool.type === "function" && "name" in tool && tool.name === called.name;
	const tool = request.tools?.filter(isCalled).find(({ namespace }) => namespace === called.namespace);
	return tool && ownNamesIn(objectSchema(tool.schema).schema);
};

/** Arguments with the members' own names. */
export const withOwnNames = (value: unknown, own: ReadonlyMap<string, string>): unknown => {
	if (Array.isArray(value)) return value.map((part) => withOwnNames(part, own));
	if (!isRecord(value) || JSON.isRawJSON(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [own.get(name) ?? name, withOwnNames(inner, own)]),
	);
};
