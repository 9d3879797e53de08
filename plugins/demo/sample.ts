/** The plainest value that a JSON Schema accepts, so that tools and schemas can be tried without a provider. */
import { asList, asNumber, asRecord, asText, isRecord, type WireRecord } from "#core";
import { sampleNumber, sampleText } from "./sample-scalar.ts";

/** How deep a value may be: at first, and at last for schemas that demand more. */
const [usualDepth, greatestDepth] = [6, 24];
/** Members that are not required are given down to this depth. */
const generousDepth = 3;
/** The most parts of one value; a schema that refers to its parts many times over could ask for more than fits anywhere. */
const mostParts = 5_000;
const mostReferences = 32;

const tighter: Readonly<Record<string, (one: number, other: number) => number>> = {
	minimum: Math.max,
	exclusiveMinimum: Math.max,
	minLength: Math.max,
	minItems: Math.max,
	maximum: Math.min,
	exclusiveMaximum: Math.min,
	maxLength: Math.min,
	maxItems: Math.min,
};

/** Both schemas as one: what either demands. */
const both = (one: WireRecord, other: WireRecord): WireRecord => {
	const merged: Record<string, unknown> = { ...one, ...other };
	for (const [key, choose] of Object.entries(tighter)) {
		const [left, right] = [asNumber(one[key]), asNumber(other[key])];
		if (left !== undefined && right !== undefined) merged[key] = choose(left, right);
	}
	if (isRecord(one["properties"]) && isRecord(other["properties"]))
		merged["properties"] = { ...one["properties"], ...other["properties"] };
	if (Array.isArray(one["required"]) && Array.isArray(other["required"]))
		merged["required"] = [...one["required"], ...other["required"]];
	return merged;
};

const without = (schema: WireRecord, ...keys: readonly string[]): WireRecord =>
	Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));

const hasAny = (schema: WireRecord, ...keys: readonly string[]): boolean => keys.some((key) => key in schema);

const typeOf = (schema: WireRecord): string => {
	const { type } = schema;
	const named = Array.isArray(type) ? (type.find((one) => one !== "null") ?? "null") : type;
	if (typeof named === "string") return named.toLowerCase();
	if (hasAny(schema, "properties", "required", "additionalProperties")) return "object";
	if (hasAny(schema, "items", "prefixItems", "minItems", "maxItems")) return "array";
	return hasAny(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
		? "number"
		: "string";
};

/** One step of a JSON pointer in a reference, plain. */
const pointed = (part: string): string => {
	const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
	try {
		return decodeURIComponent(plain);
	} catch {
		return plain;
	}
};

class Sampler {
	private readonly root: WireRecord;
	private readonly hint: string;
	private readonly deepest: number;
	private parts = 0;
	/** Which item of a list is being made, so that unique ones differ. */
	private turn = 0;

	constructor(root: WireRecord, hint: string, deepest: number) {
		this.root = root;
		this.hint = hint;
		this.deepest = deepest;
	}

	get isFull(): boolean {
		return this.parts > mostParts;
	}

	/** Undefined when the value would be too deep or too large. */
	value(given: unknown, depth: number): unknown {
		if (depth > this.deepest || ++this.parts > mostParts) return undefined;
		const schema = this.plain(asRecord(given));
		if ("const" in schema) return schema["const"];
		const choices = asList(schema["enum"]);
		if (choices.length > 0) return choices[this.turn % choices.length];
		const branches = [...asList(schema["anyOf"]), ...asList(schema["oneOf"])].map(asRecord);
		if (branches.length > 0) return this.branch(without(schema, "anyOf", "oneOf"), branches, depth);
		return this.typed(schema, depth);
	}

	/** The schema with its references followed and its `allOf` taken in. */
	private plain(schema: WireRecord): WireRecord {
		let current = schema;
		for (let step = 0; step < mostReferences && hasAny(current, "$ref", "allOf"); step++) {
			const referred = this.referred(asText(current["$ref"]));
			const rest = without(current, "$ref", "allOf");
			current = [referred, ...asList(current["allOf"]).map(asRecord)].reduce(
				// A part's own reference is followed before it is taken in, or one would hide the other.
				(whole, part) =>
					both(whole, hasAny(part, "$ref") ? both(this.referred(asText(part["$ref"])), without(part, "$ref")) : part),
				rest,
			);
		}
		return current;
	}

	private referred(reference: string | undefined): WireRecord {
		if (reference === "#") return this.root;
		if (!reference?.startsWith("#/")) return {};
		let found: unknown = this.root;
		for (const part of reference.slice(2).split("/")) found = asRecord(found)[pointed(part)];
		return asRecord(found);
	}

	/** The first branch that can be met; null only when nothing else can. */
	private branch(rest: WireRecord, branches: readonly WireRecord[], depth: number): unknown {
		const ordered = branches.toSorted((a, b) => Number(a["type"] === "null") - Number(b["type"] === "null"));
		for (const branch of ordered) {
			const value = this.value(both(rest, branch), depth + 1);
			if (value !== undefined) return value;
		}
		return undefined;
	}

	private typed(schema: WireRecord, depth: number): unknown {
		switch (typeOf(schema)) {
			case "object":
				return this.object(schema, depth);
			case "array":
				return this.array(schema, depth);
			case "integer":
				return sampleNumber(schema, true, this.turn);
			case "number":
				return sampleNumber(schema, false, this.turn);
			case "boolean":
				return this.turn % 2 === 0;
			case "null":
				return null;
			default:
				return sampleText(schema, this.hint, this.turn);
		}
	}

	private object(schema: WireRecord, depth: number): WireRecord | undefined {
		const required = new Set(asList(schema["required"]).filter((name) => typeof name === "string"));
		const properties = new Map(Object.entries(asRecord(schema["properties"])));
		for (const name of required) if (!properties.has(name)) properties.set(name, schema["additionalProperties"]);
		const members: [string, unknown][] = [];
		for (const [name, member] of properties) {
			if (!required.has(name) && depth >= generousDepth) continue;
			const value = this.value(member, depth + 1);
			if (value !== undefined) members.push([name, value]);
			else if (required.has(name)) return undefined;
		}
		return Object.fromEntries(members);
	}

	private array(schema: WireRecord, depth: number): readonly unknown[] | undefined {
		const first = asList(schema["prefixItems"]);
		const least = asNumber(schema["minItems"]) ?? 0;
		const count = Math.min(Math.max(least, first.length, 1), asNumber(schema["maxItems"]) ?? Number.POSITIVE_INFINITY);
		const items: unknown[] = [];
		const { turn } = this;
		for (let index = 0; index < count; index++) {
			if (schema["uniqueItems"] === true) this.turn = index;
			const value = this.value(first[index] ?? schema["items"], depth + 1);
			if (value === undefined) break;
			items.push(value);
		}
		this.turn = turn;
		return items.length < least ? undefined : items;
	}
}

/**
 * A value the schema accepts; `hint` stands where any text would do. Patterns, `not` and conditions are not solved. A
 * schema that nothing finite can meet gets `{}`.
 */
export const sample = (schema: unknown, hint: string): unknown => {
	for (let deepest = usualDepth; deepest <= greatestDepth; deepest++) {
		const sampler = new Sampler(asRecord(schema), hint, deepest);
		const value = sampler.value(schema, 0);
		if (value !== undefined) return value;
		// What was too large already will not fit when it may be deeper.
		if (sampler.isFull) break;
	}
	return {};
};
