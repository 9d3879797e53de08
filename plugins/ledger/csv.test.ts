import { expect, test } from "bun:test";
import { csvText } from "./csv.ts";

test.each(["=", "+", "-", "@", "\t", "\r", "\n"])("what begins with %j is text, no formula", (sign) => {
	const [, line] = csvText([{ name: `${sign}1+1`, cost: -1 }]).split(/(?<=cost\r\n)/);
	expect(line?.replaceAll('"', "")).toBe(`'${sign}1+1,-1\r\n`);
});

test("commas, quotation marks and lines stay within their field", () => {
	expect(csvText([{ name: 'a, "b"\nc', cost: null }])).toBe('name,cost\r\n"a, ""b""\nc",\r\n');
});

test("nor does it become one where a spreadsheet parts cells by semicolons", () => {
	expect(csvText([{ name: 'x;=HYPERLINK("http://a")', tag: "a;b", zone: "＝1+1" }])).toBe(
		`name,tag,zone\r\n"x;'=HYPERLINK(""http://a"")",a;b,'＝1+1\r\n`,
	);
});
