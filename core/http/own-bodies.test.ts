import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { complaintOf } from "./own-bodies.ts";

test.each([
	[t.Union([t.Literal("admin"), t.Literal("member")]), "king", 'expected one of "admin", "member"'],
	[t.Union([t.String(), t.Array(t.String())]), 7, "expected union value"],
])("what a body has to be is told: %#", (schema, value, message) => {
	expect(complaintOf(t.Object({ a: schema }), { a: value })).toEqual({ path: "a", message });
});
