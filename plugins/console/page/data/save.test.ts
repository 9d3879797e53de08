/** The table that the page saves, as Excel reads it: names in any script, and nothing that it would compute. */
import { expect, test } from "bun:test";
import { csvOf } from "./save.ts";

test("a table says that it is in UTF-8", () => {
	const bytes = new TextEncoder().encode(csvOf([["token"], ["市场部"]]));
	expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
	expect(new TextDecoder().decode(bytes)).toBe("token\r\n市场部\r\n");
});

test("a cell is no formula, and may hold commas and quotes", () => {
	expect(csvOf([["=1+1", -1, 'a "b", c']])).toBe(`\uFEFF'=1+1,-1,"a ""b"", c"\r\n`);
	expect(csvOf([["a;=1+1;b", "a-b; c", "＝1+1"]])).toBe("\uFEFFa;'=1+1;b,a-b; c,'＝1+1\r\n");
});
