import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { complaintOf } from "./own-bodies.ts";

test.each([
	[t.Union([t.Literal("admin"), t.Literal("member")]), "king", 'expected one of "admin", "member"'],
	[t.Union([t.String(), t.Array(t.String())]), 7, "expected string or list, found 7"],
	[t.Union([t.Number({ minimum: 0 }), t.Null()]), -1, "expected a number of at least 0, found -1"],
	[t.Union([t.Number({ minimum: 0 }), t.Null()]), "5", "expected number or nothing, found text"],
	[t.Union([t.Array(t.Boolean(), { maxItems: 1 }), t.Null()]), [true, true], "expected a list of at most 1"],
	[t.String(), undefined, "missing, expected string"],
	[t.Boolean(), "yes", "expected boolean, found text"],
	[t.String({ maxLength: 3 }), "long words", "expected at most 3 characters"],
	[t.String({ pattern: "^[A-F]+$", description: "Six letters from A to F." }), "x", "expected six letters from A to F"],
	[t.Record(t.String(), t.Number()), [], "expected mapping, found a list"],
])("what a body has to be is told: %#", (schema, value, message) => {
	expect(complaintOf(t.Object({ a: schema }), { a: value })).toEqual({ path: "a", message });
});

test("in a list that may be left out the member is named that is wrong", () => {
	const budgets = t.Union([t.Array(t.Object({ amount: t.Number({ minimum: 0 }) })), t.Null()]);
	expect(complaintOf(t.Object({ budgets }), { budgets: [{ amount: 1 }, { amount: -1 }] })).toEqual({
		path: "budgets.1.amount",
		message: "expected a number of at least 0, found -1",
	});
});
