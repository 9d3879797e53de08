import { describe, expect, test } from "bun:test";
import { toJsonSchema } from "../client/openapi-schema.ts";
import { fittedParameters, fittedSchema } from "./json-schema.ts";

const cleanSchema = (given: unknown) => fittedSchema(given).schema;
const cleanParameters = (given: unknown) => fittedParameters(given).schema;
const lostOf = (given: unknown) => fittedSchema(given).lost;

describe("H74 schemas without what Gemini refuses", () => {
	test("keywords it does not take are gone, at every depth", () => {
		const schema = {
			$schema: "https://json-schema.org/draft/2020-12/schema",
			$id: "x",
			$comment: "c",
			type: "object",
			"x-order": 1,
			encrypted: true,
			patternProperties: { "^a": { type: "string" } },
			propertyNames: { pattern: "a" },
			if: {},
			// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
			then: {},
			else: {},
			not: {},
			properties: {
				a: {
					type: "array",
					items: { type: "string", deprecated: true, examples: ["x"], enumDescriptions: ["y"], readOnly: true },
					contains: {},
				},
			},
		};
		expect(cleanSchema(schema)).toEqual({
			type: "object",
			properties: { a: { type: "array", items: { type: "string" } } },
		});
		expect(lostOf(schema)).toEqual(["not", "if", "propertyNames", "patternProperties"]);
	});

	test("what allows everything, or says nothing of what is valid, is not told as lost", () => {
		const strings = { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "string" } };
		const idle = { $schema: "x", deprecated: true, minProperties: 0, patternProperties: {}, examples: [{}], "x-a": 1 };
		expect(lostOf({ ...strings, ...idle })).toEqual([]);
		expect(lostOf({ properties: { not: { enum: [true, false, null] } } })).toEqual([]);
	});

	test("what allows more than it did is told", () => {
		expect(lostOf({ type: "number", exclusiveMinimum: 0, multipleOf: 2 })).toEqual(["exclusiveMinimum", "multipleOf"]);
		expect(lostOf({ properties: { a: { const: true }, b: { enum: [{ c: 1 }, "d"] } } })).toEqual(["enum"]);
		expect(lostOf({ properties: { a: { $ref: "https://elsewhere/x.json" } } })).toEqual(["$ref"]);
		expect(lostOf({ allOf: [{ anyOf: [{ type: "string" }] }, { anyOf: [{ minLength: 1 }] }] })).toEqual(["allOf"]);
		expect(lostOf({ anyOf: [{ type: "string" }], oneOf: [{ minLength: 1 }] })).toEqual(["oneOf"]);
	});

	test("a property that is named like a keyword is a property", () => {
		const names = [
			"not",
			"if",
			"const",
			"$schema",
			"properties",
			"additionalProperties",
			"examples",
			"x-y",
			"required",
		];
		const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
		expect(cleanSchema({ type: "object", properties, required: names })).toEqual({
			type: "object",
			properties,
			required: names,
		});
	});

	test("what has an equivalent is rewritten", () => {
		expect(cleanSchema({ const: "a" })).toEqual({ type: "string", enum: ["a"] });
		expect(cleanSchema({ enum: ["a", 1, null] })).toEqual({ type: ["string", "number", "null"], enum: ["a", 1] });
		expect(cleanSchema({ enum: [true] })).toEqual({ type: "boolean" });
		expect(cleanSchema({ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 })).toEqual({
			type: "integer",
			minimum: 1,
			maximum: 9,
		});
		expect(cleanSchema({ type: "string", nullable: true })).toEqual({ type: ["string", "null"] });
		expect(cleanSchema({ oneOf: [{ type: "string" }, { type: "null" }] })).toEqual({
			anyOf: [{ type: "string" }, { type: "null" }],
		});
		expect(cleanSchema({ type: "array", items: [{ type: "string" }, { type: "number" }] })).toEqual({
			type: "array",
			prefixItems: [{ type: "string" }, { type: "number" }],
		});
		expect(
			cleanSchema({
				allOf: [
					{ type: "object", properties: { a: { type: "string" } }, required: ["a"] },
					{ properties: { b: { type: "number" } } },
				],
				required: ["b"],
			}),
		).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a", "b"] });
	});

	test("type lists stay lists and are never made into one word", () => {
		expect(cleanSchema({ type: ["string", "null"] })).toEqual({ type: ["string", "null"] });
	});

	test("truth values beside words are an alternative of their own", () => {
		const schema = { type: ["string", "boolean"], description: "When.", enum: ["auto", true, false] };
		expect(fittedSchema(schema)).toEqual({
			schema: { description: "When.", anyOf: [{ type: "string", enum: ["auto"] }, { type: "boolean" }] },
			lost: [],
		});
	});

	test("members by names that are listed apart are members", () => {
		const schema = {
			type: "object",
			propertyNames: { $ref: "#/$defs/Colour" },
			additionalProperties: { type: "number", multipleOf: 1 },
			required: ["red"],
			$defs: { Colour: { enum: ["red", "blue"] } },
		};
		expect(fittedSchema(schema)).toEqual({
			schema: {
				type: "object",
				properties: { red: { type: "number" }, blue: { type: "number" } },
				additionalProperties: false,
				required: ["red"],
				$defs: { Colour: { type: "string", enum: ["red", "blue"] } },
			},
			lost: ["multipleOf"],
		});
	});

	test("members by a pattern keep what they hold", () => {
		const schema = { type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: false };
		const sent = { type: "object", additionalProperties: { type: "string" } };
		expect(fittedSchema(schema)).toEqual({ schema: sent, lost: ["patternProperties"] });
	});

	test("a list of so many places holds no more", () => {
		const places = [{ type: "string" }, { type: "number" }];
		const sent = { type: "array", prefixItems: places, maxItems: 2 };
		expect(cleanSchema({ type: "array", prefixItems: places, items: false })).toEqual(sent);
		expect(cleanSchema({ type: "array", items: places, additionalItems: false })).toEqual(sent);
	});

	test("what stands beside a reference is said around it", () => {
		const $defs = { A: { type: "object", properties: { a: { type: "string" } } } };
		const around = { description: "Where.", default: null, anyOf: [{ $ref: "#/$defs/A" }] };
		for (const given of [
			{ $ref: "#/$defs/A", description: "Where.", default: null },
			{ allOf: [{ $ref: "#/$defs/A" }], description: "Where.", default: null },
		])
			expect(fittedSchema({ properties: { a: given }, $defs })).toEqual({
				schema: { properties: { a: around }, $defs },
				lost: [],
			});
		expect(cleanSchema({ properties: { a: { $ref: "#/$defs/A", nullable: true } }, $defs })).toMatchObject({
			properties: { a: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] } },
		});
	});

	test("what a schema is put together of may stand among the definitions", () => {
		const $defs = {
			Named: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
			Pet: { allOf: [{ $ref: "#/$defs/Named" }, { properties: { age: { type: "integer" } } }] },
		};
		const dog = { allOf: [{ $ref: "#/$defs/Pet" }, { properties: { tail: { type: "boolean" } }, required: ["tail"] }] };
		const { schema, lost } = fittedSchema({ type: "object", properties: { dog }, $defs });
		expect(lost).toEqual([]);
		expect(schema).toMatchObject({
			properties: {
				dog: {
					type: "object",
					properties: { name: { type: "string" }, age: { type: "integer" }, tail: { type: "boolean" } },
					required: ["name", "tail"],
				},
			},
		});
	});

	test("a definition that holds itself ends, and what it costs has a bound", () => {
		const $defs: Record<string, unknown> = {
			Self: { allOf: [{ $ref: "#/$defs/Self" }, { properties: { a: { type: "string" } } }] },
			Node: { properties: { next: { allOf: [{ $ref: "#/$defs/Node" }, { properties: { b: {} } }] } } },
		};
		for (let at = 0; at < 20; at++) {
			const next = { allOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/D${at + 1}` })) };
			$defs[`D${at}`] = { ...next, propertyNames: { enum: ["a", "b", "c"] }, additionalProperties: next };
		}
		const { schema, lost } = fittedSchema({ properties: { a: { $ref: "#/$defs/Self" } }, $defs });
		expect(lost).toContain("$ref");
		expect(JSON.stringify(schema).length).toBeLessThan(200_000);
	});

	test("references point where the definitions are", () => {
		const schema = {
			type: "object",
			properties: { a: { $ref: "#/definitions/A", title: "A" }, b: { $ref: "https://elsewhere/x.json" } },
			definitions: { A: { type: "string", deprecated: true } },
		};
		expect(cleanSchema(schema)).toEqual({
			type: "object",
			properties: { a: { $ref: "#/$defs/A" }, b: {} },
			$defs: { A: { type: "string" } },
		});
	});

	test("definitions are found under both names of the keyword at once", () => {
		const schema = {
			type: "object",
			properties: { a: { $ref: "#/definitions/A" }, b: { $ref: "#/$defs/B" } },
			definitions: { A: { type: "string" } },
			$defs: { B: { type: "number" } },
		};
		expect(cleanSchema(schema)).toEqual({
			type: "object",
			properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/$defs/B" } },
			$defs: { A: { type: "string" }, B: { type: "number" } },
		});
	});

	test("malformed maps of properties do no harm", () => {
		const schema = {
			type: "object",
			properties: { a: { type: "any", required: true }, b: true, c: "string" },
			required: ["a", "zzz", 5],
		};
		expect(cleanSchema(schema)).toEqual({ type: "object", properties: { a: {}, b: {}, c: {} }, required: ["a"] });
	});

	test("parameters are an object whatever came", () => {
		expect(cleanParameters(undefined)).toEqual({ type: "object", properties: {} });
		expect(cleanParameters({ type: "string" })).toEqual({ type: "object", properties: {} });
		expect(cleanParameters({ anyOf: [{ type: "object", properties: {} }] })).toEqual({
			anyOf: [{ type: "object", properties: {} }],
			type: "object",
		});
	});
});

test("Google's Schema of a map's values becomes JSON Schema too", () => {
	const map = (additionalProperties: unknown) => toJsonSchema({ type: "OBJECT", additionalProperties });
	expect(map({ type: "INTEGER", nullable: true })).toEqual({
		type: "object",
		additionalProperties: { type: ["integer", "null"] },
	});
	expect(map(false)).toEqual({ type: "object", additionalProperties: false });
});

test("what is JSON Schema already, in the place of Google's, stays what it says", () => {
	const schema = {
		type: "object",
		properties: {
			city: { type: ["string", "null"] },
			unit: { oneOf: [{ const: "C" }, { const: "F" }] },
			near: { $ref: "#/$defs/place" },
			count: { type: "integer", exclusiveMinimum: 0, multipleOf: 2 },
			all: { allOf: [{ type: "object", properties: { a: { type: "string" } } }] },
		},
		$defs: { place: { type: "object", properties: { name: { type: "string" } } } },
	};
	expect(toJsonSchema(schema)).toEqual(schema);
	expect(toJsonSchema({ type: ["STRING", "NUMBER"], nullable: true })).toEqual({ type: ["string", "number", "null"] });
});

test("Google's Schema becomes JSON Schema", () => {
	expect(
		toJsonSchema({
			type: "OBJECT",
			properties: {
				name: { type: "STRING", format: "enum", enum: ["a", "b"], nullable: true },
				tags: { type: "ARRAY", items: { type: "string" }, minItems: "1", max_items: "3" },
				either: { any_of: [{ type: "INTEGER" }, { type: "NUMBER" }] },
			},
			property_ordering: ["tags", "name"],
			required: ["tags"],
		}),
	).toEqual({
		type: "object",
		properties: {
			tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
			name: { type: ["string", "null"], enum: ["a", "b", null] },
			either: { anyOf: [{ type: "integer" }, { type: "number" }] },
		},
		required: ["tags"],
	});
	expect(
		Object.keys(toJsonSchema({ properties: { b: {}, a: {} }, propertyOrdering: ["a", "b"] })["properties"] as object),
	).toEqual(["a", "b"]);
});
