/**
 * JSON Schema as Gemini takes it in `parametersJsonSchema` and `responseJsonSchema`: a list of keywords, each known to be
 * taken; others are refused by some of its models, so what has an equivalent is rewritten and the rest left out and told.
 * Only keywords are touched: a property that is named like one is a property.
 */
import { isDeepStrictEqual } from "node:util";
import { asRecord, isRecord, referredIn, type WireRecord } from "#core";
import { addEnum, addType, type Draft, isNumber, listedNames } from "./schema-values.ts";

const kept = new Set([
	"type",
	"format",
	"title",
	"description",
	"enum",
	"minItems",
	"maxItems",
	"uniqueItems",
	"minLength",
	"maxLength",
	"pattern",
	"minimum",
	"maximum",
	"default",
	"propertyOrdering",
]);

/** What allows less and is not taken. Everything else that is left out says nothing of what is valid. */
const limiting = [
	"not",
	"if",
	"propertyNames",
	"patternProperties",
	"minProperties",
	"maxProperties",
	"dependentRequired",
	"dependentSchemas",
	"dependencies",
	"unevaluatedProperties",
	"unevaluatedItems",
	"contains",
	"multipleOf",
];

/** Values with which a keyword allows everything. */
const isIdle = (name: string, value: unknown): boolean => {
	if (name === "minProperties") return value === 0;
	if (value === true || (isRecord(value) && Object.keys(value).length === 0)) return name !== "not" && name !== "if";
	return name === "propertyNames" && isDeepStrictEqual(value, { type: "string" });
};

/** What may stand twice in schemas that are put together, the later over the earlier. */
const annotating = new Set(["title", "description", "default", "examples", "properties", "required", "$defs"]);

/** What stands beside a reference and need not be kept: it says what the reference says. */
const besideReference = new Set(["type", "title", "$defs"]);

const moved = (bound: unknown, step: number): unknown =>
	typeof bound === "number" ? bound + step : JSON.rawJSON(String(BigInt(JSON.stringify(bound)) + BigInt(step)));

/** How many definitions are written where they are referred to, in one schema: each may hold all others. */
const mostCopies = 64;

/** One schema while it is made to fit: what it refers to, and the keywords that were lost. */
class Fitting {
	readonly lost = new Set<string>();
	private readonly root: WireRecord;
	private copies = mostCopies;

	constructor(root: unknown) {
		this.root = asRecord(root);
	}

	schema(value: unknown): WireRecord {
		if (!isRecord(value)) return {};
		const whole = this.merged(value);
		return typeof whole["$ref"] === "string" ? this.reference(whole, whole["$ref"]) : this.plain(whole);
	}

	private plain(schema: WireRecord): Draft {
		const draft: Draft = {};
		for (const [name, member] of Object.entries(schema)) if (kept.has(name)) draft[name] = member;
		addType(schema, draft);
		if (addEnum(schema, draft)) this.lost.add("enum");
		this.bounds(schema, draft);
		const listed = this.byListedNames(schema);
		this.object(schema, draft, listed);
		this.parts(schema, draft);
		const said = listed && "propertyNames";
		for (const name of limiting)
			if (name !== said && schema[name] !== undefined && !isIdle(name, schema[name])) this.lost.add(name);
		return draft;
	}

	/** A reference stands alone; with something beside it, it is the only alternative of a schema that says the rest. */
	private reference(schema: WireRecord, target: string): WireRecord {
		const { $ref: _reference, ...beside } = schema;
		const rest = this.plain(beside);
		if (!target.startsWith("#")) {
			this.lost.add("$ref");
			return rest;
		}
		const reference = { $ref: target.replace(/^#\/definitions\//, "#/$defs/") };
		const alternatives = schema["nullable"] === true ? [reference, { type: "null" }] : [reference];
		if (alternatives.length === 1 && Object.keys(rest).every((name) => besideReference.has(name)))
			return { ...reference, ...(rest["$defs"] !== undefined && { $defs: rest["$defs"] }) };
		if (rest["anyOf"] === undefined) return { ...rest, anyOf: alternatives };
		this.lost.add("$ref");
		return rest;
	}

	/** A bound that excludes its own value, as one that includes the next: exact for whole numbers. */
	private bounds(schema: WireRecord, draft: Draft): void {
		const step = schema["type"] === "integer" ? 1 : 0;
		const bounds = [["exclusiveMinimum", "minimum", step] as const, ["exclusiveMaximum", "maximum", -step] as const];
		for (const [given, name, by] of bounds) {
			if (schema[given] === undefined || schema[given] === false) continue;
			if (!isNumber(schema[given]) || draft[name] !== undefined || step === 0) this.lost.add(given);
			if (isNumber(schema[given]) && draft[name] === undefined) draft[name] = moved(schema[given], by);
		}
	}

	private object(schema: WireRecord, draft: Draft, named: Draft | undefined): void {
		const properties = named ?? this.map(schema["properties"]);
		if (properties) draft["properties"] = properties;
		const { additionalProperties: more, required } = schema;
		const isOpen = more !== false && (more !== undefined || properties !== undefined);
		const values = isOpen ? undefined : this.list(Object.values(asRecord(schema["patternProperties"])));
		if (named) draft["additionalProperties"] = false;
		else if (isRecord(more)) draft["additionalProperties"] = this.schema(more);
		// Names by a pattern cannot be said; what such members hold can.
		else if (values) draft["additionalProperties"] = values.length === 1 ? values[0] : { anyOf: values };
		else if (typeof more === "boolean") draft["additionalProperties"] = more;
		if (!Array.isArray(required)) return;
		const names = required.filter(
			(name) => typeof name === "string" && (!properties || Object.hasOwn(properties, name)),
		);
		if (names.length > 0) draft["required"] = names;
	}

	/** Members whose names are listed apart from what they hold: each by its name. */
	private byListedNames(schema: WireRecord): Draft | undefined {
		const told = asRecord(schema["propertyNames"]);
		const names = listedNames(typeof told["$ref"] === "string" ? this.referred(told["$ref"]) : told);
		const { properties, patternProperties, additionalProperties: value } = schema;
		if (!names || properties !== undefined || patternProperties !== undefined || value === false) return undefined;
		if (names.length > this.copies) return undefined;
		this.copies -= names.length;
		return Object.fromEntries(names.map((name) => [name, this.schema(value)]));
	}

	private parts(schema: WireRecord, draft: Draft): void {
		const { items, additionalItems } = schema;
		if (isRecord(items)) draft["items"] = this.schema(items);
		const tuple = this.list(schema["prefixItems"] ?? (Array.isArray(items) ? items : undefined));
		if (tuple) draft["prefixItems"] = tuple;
		if (tuple && (items === false || additionalItems === false)) draft["maxItems"] ??= tuple.length;
		const anyOf = this.list(schema["anyOf"]);
		const oneOf = this.list(schema["oneOf"]);
		if (anyOf && oneOf) this.lost.add("oneOf");
		if (anyOf || oneOf) draft["anyOf"] = anyOf ?? oneOf;
		const [older, newer] = [this.map(schema["definitions"]), this.map(schema["$defs"])];
		if (older || newer) draft["$defs"] = { ...older, ...newer };
	}

	private map(value: unknown): Draft | undefined {
		if (!isRecord(value)) return undefined;
		return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.schema(schema)]));
	}

	private list(value: unknown): readonly WireRecord[] | undefined {
		return Array.isArray(value) && value.length > 0 ? value.map((schema) => this.schema(schema)) : undefined;
	}

	/** What must all hold at once, as one schema: members together, later keywords over earlier ones. */
	private merged(schema: WireRecord): WireRecord {
		const { allOf, ...own } = schema;
		if (!Array.isArray(allOf)) return schema;
		const given = allOf.filter(isRecord);
		const [only] = given;
		// One reference, which the schema around it only speaks of: it stays one.
		const speaksOf = (name: string) => kept.has(name) || name === "nullable";
		if (given.length === 1 && only && "$ref" in only && Object.keys(own).every(speaksOf)) return { ...only, ...own };
		const whole: Draft = {};
		const properties: Draft = {};
		const required = new Set<unknown>();
		for (const part of [...given.flatMap((one) => this.resolved(one)), own]) {
			this.clash(whole, part);
			this.clash(properties, asRecord(part["properties"]));
			Object.assign(whole, part);
			Object.assign(properties, asRecord(part["properties"]));
			if (Array.isArray(part["required"])) for (const name of part["required"]) required.add(name);
		}
		if (Object.keys(properties).length > 0) whole["properties"] = properties;
		if (required.size > 0) whole["required"] = [...required];
		return whole;
	}

	/** Two that must both hold are said by one: of others than the same, the earlier is lost. */
	private clash(whole: Draft, part: WireRecord): void {
		const isLost = (name: string) =>
			!annotating.has(name) && Object.hasOwn(whole, name) && !isDeepStrictEqual(whole[name], part[name]);
		if (Object.keys(part).some(isLost)) this.lost.add("allOf");
	}

	/** What a part of a whole says: what it refers to, in its place, and what stands beside the reference. */
	private resolved(part: WireRecord): readonly WireRecord[] {
		const { $ref: target, ...own } = this.merged(part);
		if (typeof target !== "string") return [own];
		const definition = this.referred(target);
		if (!definition) this.lost.add("$ref");
		return definition ? [...this.resolved(definition), own] : [own];
	}

	/** A definition of this document; undefined for what it does not hold, and when there were too many. */
	private referred(target: string): WireRecord | undefined {
		const definition = target.startsWith("#/") ? referredIn(this.root, target) : undefined;
		return isRecord(definition) && this.copies-- > 0 ? definition : undefined;
	}
}

/** A schema as Gemini takes it, and the keywords of it that it has no way to say. */
interface FittedSchema {
	readonly schema: WireRecord;
	readonly lost: readonly string[];
}

/** The schema with nothing in it that Gemini refuses. What is no schema comes out as one that allows everything. */
export const fittedSchema = (given: unknown): FittedSchema => {
	const fitting = new Fitting(given);
	const schema = fitting.schema(given);
	return { schema, lost: [...fitting.lost] };
};

/** A schema for the parameters of a function: an object whatever came. */
export const fittedParameters = (given: unknown): FittedSchema => {
	const { schema, lost } = fittedSchema(given);
	if (schema["$ref"] !== undefined || schema["type"] === "object") return { schema, lost };
	const properties = schema["anyOf"] === undefined && { properties: schema["properties"] ?? {} };
	return { schema: { ...schema, type: "object", ...properties }, lost };
};

/** Why a client is told of such keywords. */
export const unsaid = (lost: readonly string[]): string =>
	`Gemini's schemas cannot say ${lost.join(", ")} as this one does`;
