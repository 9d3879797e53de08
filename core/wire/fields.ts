/** Single fields of a request that clients get wrong, whatever the protocol: read, or refused in words that name no contents. */
import { Fault } from "../contract/fault.ts";

/** How a value is named in a message: enough to find it, never what is in it. */
export const named = (value: unknown): string => {
	if (value === undefined) return "missing";
	if (value === null) return "null";
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (typeof value === "object") return "an object";
	return typeof value === "string" ? `the string ${JSON.stringify(value.slice(0, 64))}` : String(value);
};

/** Makes a refusal: what was found, and what was expected, as a sentence that ends it (`it must be true or false.`). */
export type Refuse = (parameter: string, found: unknown, expected: string) => Fault;

/** In the words and with the codes that OpenAI's clients know: "The field `n` is 0; it must be …". */
export const refuseField: Refuse = (parameter, found, expected) =>
	new Fault({
		kind: "invalid_request",
		parameter,
		code: found === undefined ? "missing_required_parameter" : "invalid_value",
		message: `The field \`${parameter}\` is ${named(found)}; ${expected}`,
	});

/** The refusal of one field or query parameter by a sentence of its own. */
export const invalidParameter = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", parameter, message });

/** The same with the code by which OpenAI's clients know that a value is wrong. */
export const invalidValue = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", code: "invalid_value", parameter, message });

/** How many rows a list is asked for: `usual` unless its query says. Throws the refusal. */
export const pageLimit = (query: URLSearchParams, usual: number, most: number): number => {
	const limit = Number(query.get("limit") ?? usual);
	if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
	throw invalidParameter("limit", `limit must be a whole number from 1 to ${most}.`);
};

/** Readers of values, by the words of one protocol. Each throws the refusal. Null is read as absent. */
export interface FieldReaders {
	/** False when it is absent. */
	flag(value: unknown, parameter: string): boolean;
	whole(value: unknown, parameter: string, least: number, most?: number): number | undefined;
	checkNumber(value: unknown, parameter: string, least: number, most: number): void;
	/** The name of a model, which there must be. */
	model(value: unknown): string;
}

/** The readers whose refusals are worded by `refuse`. */
export const fieldReaders = (refuse: Refuse): FieldReaders => ({
	flag(value, parameter) {
		if (value === undefined || value === null) return false;
		if (typeof value === "boolean") return value;
		throw refuse(parameter, value, "it must be true or false.");
	},
	whole(value, parameter, least, most = Number.MAX_SAFE_INTEGER) {
		if (value === undefined || value === null) return undefined;
		if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
		const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
		throw refuse(parameter, value, `it must be a whole number ${range}.`);
	},
	checkNumber(value, parameter, least, most) {
		if (value === undefined || value === null) return;
		if (typeof value === "number" && value >= least && value <= most) return;
		throw refuse(parameter, value, `it must be a number from ${least} to ${most}.`);
	},
	model(value) {
		if (typeof value === "string" && value !== "") return value;
		const wanted =
			value === undefined ? "name a model, as GET /v1/models lists them." : "it must be the name of a model.";
		throw refuse("model", value, wanted);
	},
});
