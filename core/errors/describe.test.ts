/** How an error is told in the log. */
import { expect, test } from "bun:test";
import { describe } from "./describe.ts";
import { StoreFault } from "./store-fault.ts";

class Refused extends Error {
	override readonly name = "Refused";
	readonly code: string | number;

	constructor(message: string, code: string | number) {
		super(message);
		this.code = code;
	}
}

test.each([
	["by its class and its message", new TypeError("x is not a function"), "TypeError: x is not a function"],
	[
		"with its code",
		new Refused("the database could not do this", "SQLITE_FULL"),
		"Refused: the database could not do this (SQLITE_FULL)",
	],
	[
		"with a code that its message tells once",
		new Refused("ENOENT: no such file", "ENOENT"),
		"Refused: ENOENT: no such file",
	],
	["without a code that is no text", new Refused("no", 5), "Refused: no"],
	[
		"with the words of a database",
		new StoreFault("SQLITE_ERROR", "no such table: nowhere"),
		"Fault: the database could not do this (SQLITE_ERROR: no such table: nowhere)",
	],
	["by its type where it is no error", { secret: "s" }, "object"],
	["as it is where it is a text", "the door is closed", "the door is closed"],
])("%s", (_how, error, told) => {
	expect(describe(error)).toBe(told);
});
