import { expect, test } from "bun:test";
import type { Denial } from "../contract/fault.ts";
import { renderOwnDenial } from "./own-errors.ts";

test("a kind that is none is shown as a fault of the server", () => {
	for (const kind of ["constructor", "nothing"]) {
		const { status, body } = renderOwnDenial({ kind, message: "x" } as unknown as Denial);
		expect([status, body.error.code], kind).toEqual([500, "internal_error"]);
	}
});

test("clients that shorten a conversation act on one code, whatever the vendor's is", () => {
	const denial: Denial = { kind: "context_length", code: "BadRequestError", message: "Too long." };
	expect(renderOwnDenial(denial).body.error.code).toBe("context_length_exceeded");
});
