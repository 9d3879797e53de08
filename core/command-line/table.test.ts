import { expect, test } from "bun:test";
import { dollars, tableLines } from "./table.ts";

test("a table has titles, columns under each other, and a dash where nothing is", () => {
	const columns = [{ title: "name" }, { title: "cost", right: true }, { title: "id" }];
	expect(
		tableLines(columns, [
			["alice", "$1.50", "tok_1"],
			["b", "", "tok_22"],
		]),
	).toEqual(["NAME    COST  ID", "alice  $1.50  tok_1", "b          -  tok_22"]);
	expect(tableLines([{ title: "name" }], [["\u001b[2Jx\u202e"]])).toEqual(["NAME", "�[2Jx�"]);
	expect(tableLines(columns, [])).toEqual(["NAME  COST  ID"]);
});

test.each([
	[0, "$0.00"],
	[1.5, "$1.50"],
	[0.000123, "$0.000123"],
	[1234567.891, "$1,234,567.891"],
])("%p is %s", (amount, text) => {
	expect(dollars(amount)).toBe(text);
});
