/** What a token keeps of its list within the limit of its owner. */
import { expect, test } from "bun:test";
import { models } from "./models.ts";

test.each([
	["all of it, the very same list", ["a-1", "b"], ["a-*", "b"], ["a-1", "b"]],
	["what the limit allows of it", ["a-1", "c"], ["a-*", "b"], ["a-1"]],
	["what it allows of the limit", ["a-*", "c"], ["a-1", "a-2", "b"], ["a-1", "a-2"]],
	["the limit, where it allows everything", [], ["b"], ["b"]],
	["itself, where the limit allows everything", ["b"], [], ["b"]],
	["nothing at all, which is not everything", ["a"], ["b"], undefined],
])("a list keeps within its limit %s", (_, value, limit, left) => {
	expect(models.narrow?.(value, limit)).toEqual(left);
});

test("a list that is within its limit is given back itself, so that nothing looks changed", () => {
	const value = ["a-1"];
	expect(models.narrow?.(value, ["a-*"])).toBe(value);
});
