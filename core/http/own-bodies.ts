/** Bodies of Portico's own routes: read, parsed and checked against a schema in one step. */
import type { Static, TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { whatThereIs } from "../config/complaint.ts";
import { isOfType, lackOf, literalsOf, optionsOf, wantedBy } from "../config/shape.ts";
import { Fault } from "../contract/fault.ts";
import { readBody, readBytes } from "../wire/body.ts";
import { readJsonBody } from "../wire/json-body.ts";

/** Bodies of such routes are small. */
const bodyLimitBytes = 1024 * 1024;

const isEnumeration = (schema: TSchema): boolean => optionsOf(schema).every((option) => literalsOf(option).length > 0);

/** Of a union, what is wrong with the option that is of the value's type: that one was meant. */
const meant = (error: ValueError): ValueError => {
	if (error.type !== ValueErrorType.Union || isEnumeration(error.schema)) return error;
	const at = optionsOf(error.schema).findIndex(({ type }) => isOfType(error.value, String(type)));
	const inner = error.errors[at]?.First();
	return inner ? meant(inner) : error;
};

/** A text is not shown: it may be a secret. */
const foundIn = (value: unknown): string => {
	if (Array.isArray(value)) return "a list";
	if (typeof value === "object" && value !== null) return "a mapping";
	return typeof value === "string" ? "text" : String(value);
};

const wordsOf = ({ message, path, schema, value }: ValueError): string => {
	const { description } = schema;
	if (message === "Unexpected property")
		return `not a setting here${whatThereIs(path.split("/").at(-1) ?? "", Object.keys(schema["properties"] ?? {}))}`;
	if (value === undefined) return `missing, expected ${wantedBy(schema)}`;
	if (isEnumeration(schema)) return `expected ${wantedBy(schema)}`;
	// What a pattern stands for is told by its description: nobody reads the pattern.
	if (description && typeof value === "string" && schema["pattern"] && !new RegExp(schema["pattern"]).test(value))
		return `expected ${description.replace(/\.$/, "").replace(/^./, (begin: string) => begin.toLowerCase())}`;
	if (!optionsOf(schema).some((option) => isOfType(value, String(option.type))))
		return `expected ${wantedBy(schema)}, found ${foundIn(value)}`;
	const lack = lackOf(schema, value);
	if (lack === undefined) return message.replace(/^Expected ./, (begin) => begin.toLowerCase());
	return `expected ${lack}${typeof value === "number" ? `, found ${value}` : ""}`;
};

/** The first thing that is wrong with a value, in words; undefined when nothing is. `path` is like `limits.perMinute`. */
export const complaintOf = (
	schema: TSchema,
	value: unknown,
): { readonly path: string; readonly message: string } | undefined => {
	const first = Value.Errors(schema, value).First();
	if (!first) return undefined;
	const error = meant(first);
	const path = error.path.slice(1).replaceAll("/", ".");
	return { path, message: wordsOf(error) };
};

/** The value as the schema's type, or a `Fault` (`invalid_request`) that names the field. */
const checkValue = <S extends TSchema>(schema: S, value: unknown): Static<S> => {
	const complaint = complaintOf(schema, value);
	if (complaint === undefined) return value as Static<S>;
	const { path, message } = complaint;
	throw new Fault({
		kind: "invalid_request",
		message: `${path === "" ? "The body" : `"${path}"`}: ${message}.`,
		...(path !== "" && { parameter: path }),
	});
};

/** The checked JSON body of a request; an empty body counts as `{}`. Throws `Fault`. */
export const readJson = async <S extends TSchema>(request: Request, schema: S): Promise<Static<S>> => {
	const bytes = await readBody(request, bodyLimitBytes);
	return checkValue(schema, bytes.length === 0 ? {} : readJsonBody(bytes).value);
};

/** A request of an operator once all of it has come: itself where it has no body. Throws `Fault` as `readBytes` does. */
export const wholeRequest = async (request: Request): Promise<Request> => {
	if (request.body === null) return request;
	const bytes = await readBytes(request, bodyLimitBytes);
	const headers = new Headers(request.headers);
	headers.delete("content-encoding");
	const { method, signal } = request;
	return new Request(request.url, { method, headers, signal, body: bytes as NonNullable<RequestInit["body"]> });
};
