/** A schema as plain JSON Schema words, and what those words say to a person. */
import { FormatRegistry } from "@sinclair/typebox";
import { Cron } from "croner";
import { readNetwork } from "../wire/networks.ts";

/** The words that settings may use: those TypeBox writes, whichever copy of it. */
export interface Shape {
	readonly type?: string | readonly string[];
	readonly const?: unknown;
	readonly enum?: readonly unknown[];
	readonly anyOf?: readonly Shape[];
	readonly allOf?: readonly Shape[];
	readonly properties?: Readonly<Record<string, Shape>>;
	readonly patternProperties?: Readonly<Record<string, Shape>>;
	readonly required?: readonly string[] | undefined;
	/** Left out, it counts as `false`: a typing error must not pass for a setting. */
	readonly additionalProperties?: boolean | Shape | undefined;
	readonly items?: Shape | readonly Shape[];
	/** `uri`, `network`, `schedule` or `database` are checked, others are not. */
	readonly format?: string;
	readonly pattern?: string;
	readonly description?: string;
	readonly default?: unknown;
	/** Our own word: the value is never shown. */
	readonly secret?: boolean;
	readonly $id?: string;
	readonly $ref?: string;
	readonly [limit: string]: unknown;
}

/** The alternatives of a union or of a list of types; the shape alone where it is neither. */
export const optionsOf = (shape: Shape): readonly Shape[] =>
	typeof shape.type === "object" ? shape.type.map((type) => ({ ...shape, type })) : (shape.anyOf ?? [shape]);

/** The values that a literal or an enumeration allows; empty where the shape is neither. */
export const literalsOf = (shape: Shape): readonly unknown[] => shape.enum ?? ("const" in shape ? [shape.const] : []);

/** The shape of one member of a mapping; undefined where the key is not allowed. */
export const memberOf = (shape: Shape, key: string): Shape | undefined => {
	if (shape.properties !== undefined && Object.hasOwn(shape.properties, key)) return shape.properties[key];
	for (const [pattern, member] of Object.entries(shape.patternProperties ?? {})) {
		if (new RegExp(pattern).test(key)) return member;
	}
	return shape.additionalProperties === true ? {} : shape.additionalProperties || undefined;
};

/** The shape of one item of a list. */
export const itemOf = ({ items = {} }: Shape, index: number): Shape => (isTuple(items) ? items[index] : items) ?? {};

/** Whether each item of a list has a shape of its own. */
export const isTuple = (items: Shape | readonly Shape[]): items is readonly Shape[] => Array.isArray(items);

/** What a shape wants, in words: `number`, `one of "usd", "points"`, `string or list`. */
export const wantedBy = (shape: Shape): string => {
	const options = optionsOf(shape);
	const literals = options.flatMap(literalsOf).map((literal) => JSON.stringify(literal));
	if (literals.length > 0 && options.every((option) => literalsOf(option).length > 0)) {
		return `${literals.length === 1 ? "" : "one of "}${literals.join(", ")}`;
	}
	if (options.length > 1) return [...new Set(options.map(wantedBy))].join(" or ");
	const type = typeof shape.type === "string" ? shape.type : "object";
	return { array: "list", object: "mapping", null: "nothing" }[type] ?? type;
};

/** Whether a value is of a JSON Schema type. */
export const isOfType = (value: unknown, type: string): boolean => {
	if (value === null) return type === "null";
	if (Array.isArray(value)) return type === "array";
	if (type === "integer") return Number.isInteger(value);
	return typeof value === type && !Number.isNaN(value);
};

/** A text that came from `${…}` as the number or boolean that the shape wants; the text itself if it is none. */
export const convert = (shape: Shape, text: string): unknown => {
	const type = "const" in shape ? typeof shape.const : shape.type;
	if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
	const numeric = type === "number" || type === "integer";
	return numeric && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
};

/** A pattern in words, as far as there are any: of what settings ask for, addresses are what people most often get wrong. */
const likeOf = (pattern: string): string => {
	if (!pattern.startsWith("^https?://")) return `text like ${pattern}`;
	const bare = pattern.endsWith("[^/]+$") ? ", with nothing after the host" : "";
	return `an address that begins with http:// or https://${bare}`;
};

/** What a value of the right type lacks, in words: `a number of at least 1`, `an absolute URL`; undefined for nothing. */
export const lackOf = (shape: Shape, value: unknown): string | undefined => {
	if (typeof value === "string") {
		const words = formats[shape.format ?? ""]?.(value);
		if (words !== undefined) return words;
		if (shape.pattern !== undefined && !new RegExp(shape.pattern).test(value)) return likeOf(shape.pattern);
	}
	const size = typeof value === "string" || Array.isArray(value) ? value.length : value;
	if (typeof size !== "number") return undefined;
	for (const [name, lack] of Object.entries(limits)) {
		const limit = shape[name];
		const words = typeof limit === "number" ? lack(size, limit) : undefined;
		if (words !== undefined) return words;
	}
	return undefined;
};

/** Whether it is a pattern that says when to run. */
export const isSchedule = (text: string): boolean => {
	try {
		new Cron(text, { paused: true }).stop();
		return true;
	} catch {
		return false;
	}
};

const unless = (fits: boolean, words: string): string | undefined => (fits ? undefined : words);

const formats: Readonly<Record<string, (text: string) => string | undefined>> = {
	uri: (text) => unless(URL.canParse(text), "an absolute URL"),
	network: (text) => unless(readNetwork(text) !== undefined, "an address or a network such as 10.0.0.0/8"),
	schedule: (text) => unless(isSchedule(text), 'a schedule such as "0 3 * * *"'),
	database: (text) =>
		unless(
			/^(file:|https?:\/\/|libsql:\/\/)(?!.*(:memory:|%(?![0-9a-f]{2})))./i.test(text),
			"file:PATH, http(s)://… or libsql://…",
		),
};

/** Limits on a number, or on the length of a text or a list. */
const limits: Readonly<Record<string, (size: number, limit: number) => string | undefined>> = {
	minimum: (size, limit) => unless(size >= limit, `a number of at least ${limit}`),
	maximum: (size, limit) => unless(size <= limit, `a number of at most ${limit}`),
	exclusiveMinimum: (size, limit) => unless(size > limit, `a number above ${limit}`),
	exclusiveMaximum: (size, limit) => unless(size < limit, `a number below ${limit}`),
	multipleOf: (size, limit) => unless(size % limit === 0, `a multiple of ${limit}`),
	minLength: (size, limit) => unless(size >= limit, `at least ${limit} characters`),
	maxLength: (size, limit) => unless(size <= limit, `at most ${limit} characters`),
	minItems: (size, limit) => unless(size >= limit, `a list of at least ${limit}`),
	maxItems: (size, limit) => unless(size <= limit, `a list of at most ${limit}`),
};

// what TypeBox checks by itself knows the same formats
for (const [name, lack] of Object.entries(formats)) FormatRegistry.Set(name, (text) => lack(text) === undefined);
