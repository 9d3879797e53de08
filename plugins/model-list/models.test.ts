import { describe, expect, test } from "bun:test";
import type { Routed } from "#core";
import { unknownModel } from "#core";
import { allowedModels, models, refuseModel } from "./models.ts";

const call = (name: string, ...targets: string[]): Routed =>
	({ model: { name }, targets: targets.map((model) => ({ model })) }) as unknown as Routed;

describe("a token with a list", () => {
	const allowed = allowedModels(["gpt-*", "fast"]);
	test("may ask for a listed name, whatever it leads to", () => {
		expect(refuseModel(call("fast", "claude-haiku"), allowed)).toBeUndefined();
		expect(refuseModel(call("gpt-4o", "gpt-4o"), allowed)).toBeUndefined();
	});
	test("may ask for an alias all of whose targets are listed", () => {
		expect(refuseModel(call("smart", "gpt-4o", "gpt-5"), allowed)).toBeUndefined();
	});
	test("is refused an alias that may also lead elsewhere", () => {
		expect(refuseModel(call("smart", "gpt-4o", "claude-opus"), allowed)?.kind).toBe("model_not_found");
	});
	test("hears of a forbidden model what it would hear of an unknown one", () => {
		expect(refuseModel(call("claude-opus", "claude-opus"), allowed)).toEqual(unknownModel("claude-opus"));
	});
	test("is not fooled by case or white space", () => {
		for (const name of ["FAST", " fast", "fast ", "fast\n"])
			expect(refuseModel(call(name, "x"), allowed)?.kind).toBe("model_not_found");
	});
});

test("a token without a list, or with an empty one, may ask for everything", () => {
	expect(refuseModel(call("anything", "x"), undefined)).toBeUndefined();
	expect(refuseModel(call("anything", "x"), allowedModels([]))).toBeUndefined();
});

test.each([["gpt-*"], [{ a: 1 }], [[1]], [[""]], [null]])("%p is refused and does not compile", (value) => {
	expect(models.refuse?.(value)).toBeString();
	expect(() => models.compile(value)).toThrow(TypeError);
});
