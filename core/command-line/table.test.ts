import { expect, test } from "bun:test";
import { dollars, listLines, tableLines } from "./table.ts";

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

test("columns stand under each other whatever letters names have", () => {
	const rows = ["alice", "王小明", "ภาษา", "🚀 up"].map((name) => [name, "x"]);
	expect(tableLines([{ title: "name" }, { title: "id" }], rows)).toEqual([
		...["NAME    ID", "alice   x"],
		...["王小明  x", "ภาษา    x", "🚀 up   x"],
	]);
	const right = [{ title: "name", right: true }, { title: "id" }];
	expect(tableLines(right, [["王", "x"]])).toEqual(["NAME  ID", "  王  x"]);
});

test("on a terminal that is too narrow for the table each row takes two lines, or is a block", () => {
	const columns = [{ title: "name" }, { title: "cost", right: true }, { title: "id" }];
	const rows = [
		["alice", "$1.50", "tok_1"],
		["b", "", "tok_22"],
	];
	expect(tableLines(columns, rows, 20)).toEqual(["NAME    COST  ID", "alice  $1.50  tok_1", "b          -  tok_22"]);
	expect(tableLines(columns, rows, 19)).toEqual([
		...["NAME    COST", "  ID"],
		...["alice  $1.50", "  tok_1"],
		...["b          -", "  tok_22"],
	]);
	expect(tableLines(columns, rows, 9)).toEqual([
		...["NAME  alice", "COST  $1.50", "ID    tok_1"],
		"",
		...["NAME  b", "ID    tok_22"],
	]);
	expect(tableLines([{ title: "a long title" }], [], 5)).toEqual(["A LONG TITLE"]);
});

test("a list goes on under its beginning", () => {
	expect(listLines("gives", ["one", "two", "three"], 20)).toEqual(["  gives   one, two,", "          three"]);
	expect(listLines("gives", ["one", "two", "three"], undefined)).toEqual(["  gives   one, two, three"]);
	expect(listLines("gives", ["longer than it is wide", "two"], 12)).toEqual([
		"  gives   longer than it is wide,",
		"          two",
	]);
});

test.each([
	[0, "$0.00"],
	[1.5, "$1.50"],
	[0.000123, "$0.000123"],
	[1234567.891, "$1,234,567.891"],
	[-6.656, "-$6.656"],
])("%p is %s", (amount, text) => {
	expect(dollars(amount)).toBe(text);
});
