import { describe, expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { sample } from "./sample.ts";

const ajv = new Ajv({ strict: false, validateFormats: false });

/** Says what is wrong with the sample; null when nothing is. */
const fault = (schema: object, value: unknown = sample(schema, "hint")): string | null =>
	ajv.validate(schema, value) ? null : `${JSON.stringify(value)}: ${ajv.errorsText()}`;

const weather = {
	type: "object",
	properties: {
		city: { type: "string" },
		unit: { type: "string", enum: ["celsius", "fahrenheit"] },
		days: { type: "integer", minimum: 1, maximum: 7 },
	},
	required: ["city"],
	additionalProperties: false,
};

const tree = {
	$defs: {
		node: {
			type: "object",
			properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
			required: ["value", "children"],
			additionalProperties: false,
		},
	},
	$ref: "#/$defs/node",
};

const list = {
	type: "object",
	properties: { value: { type: "string" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
	required: ["value", "next"],
	additionalProperties: false,
};

const expression = {
	$defs: {
		sum: {
			type: "object",
			properties: { left: { $ref: "#/$defs/any" }, right: { $ref: "#/$defs/any" } },
			required: ["left", "right"],
			additionalProperties: false,
		},
		literal: { type: "object", properties: { number: { type: "number" } }, required: ["number"] },
		any: { anyOf: [{ $ref: "#/$defs/sum" }, { $ref: "#/$defs/literal" }] },
	},
	$ref: "#/$defs/sum",
};

const schemas: Readonly<Record<string, object>> = {
	"a tool's parameters": weather,
	"a tree": tree,
	"a linked list that must name its next": list,
	"an expression": expression,
	"an empty object": { type: "object", properties: {}, additionalProperties: false },
	"anything at all": {},
	"a constant": { const: { a: [1] } },
	"an enumeration of null first": { enum: [null, "a"] },
	"text of a length": { type: "string", minLength: 10, maxLength: 12 },
	"very short text": { type: "string", maxLength: 2 },
	"no text": { type: "string", maxLength: 0 },
	"an integer in a gap": { type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 5 },
	"a number between 0 and a half": { type: "number", exclusiveMinimum: 0, maximum: 0.5 },
	"a number below 1": { type: "number", exclusiveMaximum: 1 },
	"a negative integer": { type: "integer", maximum: -5 },
	"a multiple": { type: "integer", multipleOf: 7, minimum: 8 },
	"a multiple of a quarter": { type: "number", multipleOf: 0.25, minimum: 0.3 },
	"a type among several": { type: ["null", "integer"] },
	"only null": { type: "null" },
	"a list of three": { type: "array", items: { type: "string" }, minItems: 3 },
	"a list of nothing": { type: "array", maxItems: 0 },
	"three different words": { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
	"three of four choices": { type: "array", items: { enum: ["a", "b", "c", "d"] }, minItems: 3, uniqueItems: true },
	"different numbers": { type: "array", items: { type: "integer", maximum: 4 }, minItems: 4, uniqueItems: true },
	"a pair": { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
	"a required member without a schema": { type: "object", required: ["x"], additionalProperties: { type: "number" } },
	"parts of one whole": {
		allOf: [
			{ type: "object", properties: { a: { type: "string" } }, required: ["a"] },
			{ $ref: "#/$defs/b" },
			{ properties: { a: { minLength: 9 } } },
		],
		$defs: { b: { type: "object", properties: { b: { type: "integer" } }, required: ["b"] } },
	},
	"a base and its variants": {
		type: "object",
		properties: { kind: { type: "string" } },
		required: ["kind"],
		anyOf: [{ properties: { size: { type: "integer" } }, required: ["size"] }, { required: ["colour"] }],
	},
	"a reference with neighbours": { $defs: { t: { type: "string" } }, $ref: "#/$defs/t", minLength: 6 },
	"a name that must be escaped": {
		$defs: { "a/b~c": { type: "integer" } },
		type: "object",
		properties: { x: { $ref: "#/$defs/a~1b~0c" } },
		required: ["x"],
	},
	"members with hostile names": JSON.parse(
		'{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__","constructor"]}',
	),
	"nine levels": Array.from({ length: 9 }).reduce<object>(
		(inner) => ({ type: "object", properties: { deeper: inner }, required: ["deeper"] }),
		{ type: "string" },
	),
};

describe("the sample of", () => {
	test.each(Object.entries(schemas))("%s is valid", (_, schema) => {
		expect(fault(schema)).toBeNull();
	});

	test("text is the hint, cut between characters", () => {
		expect(sample({ type: "string" }, "hello")).toBe("hello");
		expect(sample({ type: "string", maxLength: 2 }, "a😀b")).toBe("a😀");
	});

	test("members that are not required are there near the root", () => {
		expect(sample(weather, "Oslo")).toEqual({ city: "Oslo", unit: "celsius", days: 1 });
	});

	test("known formats looks like them", () => {
		expect(sample({ type: "string", format: "date" }, "x")).toMatch(/^\d{4}-\d\d-\d\d$/);
		expect(sample({ type: "string", format: "uuid" }, "x")).toMatch(/^[0-9a-f-]{36}$/);
	});
});

describe("a schema that nothing finite can meet, or that asks for too much, is answered all the same", () => {
	const forever = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
	const circle = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" };
	const level = (index: number) => ({
		type: "object",
		properties: Object.fromEntries("abcdefghij".split("").map((name) => [name, { $ref: `#/$defs/l${index + 1}` }])),
		required: "abcdefghij".split(""),
	});
	const bomb = {
		$defs: { ...Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`l${index}`, level(index)])), l15: {} },
		$ref: "#/$defs/l0",
	};

	test.each([
		["one that contains itself", forever, {}],
		["a circle of alternatives", { anyOf: [{ $ref: "#" }] }, {}],
		["ten to the fifteenth parts", bomb, {}],
		["a circle of references", circle, "hint"],
		["a reference to nowhere", { $ref: "#/no/such/place" }, "hint"],
		["a reference that cannot be read", { $ref: "#/%E0%A4%A" }, "hint"],
		["a list of a billion", { type: "array", items: { type: "string" }, minItems: 1e9 }, {}],
	])("%s", (_, schema, expected) => {
		const began = performance.now();
		expect(sample(schema, "hint")).toEqual(expected);
		expect(performance.now() - began).toBeLessThan(1000);
	});
});

/** Schemas that some value meets, by how they are made. */
const { schema: satisfiable } = fc.letrec<{ schema: object }>((tie) => ({
	schema: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		fc.constantFrom<object>({}, { type: "boolean" }, { type: "null" }, { type: "string", format: "date" }),
		fc
			.tuple(fc.nat(20), fc.nat(20))
			.map(([least, more]) => ({ type: "string", minLength: least, maxLength: least + more })),
		fc
			.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(9), fc.boolean(), fc.constantFrom("integer", "number"))
			.map(([low, more, open, type]) =>
				open
					? { type, exclusiveMinimum: low, exclusiveMaximum: low + more + 2 }
					: { type, minimum: low, maximum: low + more },
			),
		fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: "integer", multipleOf, minimum: multipleOf * 3 - 1 })),
		fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
		fc
			.tuple(tie("schema"), fc.nat(3))
			.map(([items, minItems]) => ({ type: "array", items, minItems, maxItems: minItems + 2 })),
		fc
			.tuple(fc.dictionary(fc.string({ maxLength: 6 }), tie("schema"), { maxKeys: 4 }), fc.array(fc.nat(3)))
			.map(([properties, picked]) => ({
				type: "object",
				properties,
				required: [...new Set(picked.flatMap((index) => Object.keys(properties)[index] ?? []))],
				additionalProperties: false,
			})),
		fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
	),
}));

test("the sample of any schema that can be met is valid", () => {
	fc.assert(
		fc.property(satisfiable, fc.string(), (schema, hint) => {
			expect(fault(schema, sample(schema, hint))).toBeNull();
		}),
		{ numRuns: 500 },
	);
});
