import { expect, test } from "bun:test";
import { holdsLargeInteger, parseExactly } from "./exact-json.ts";

test.each([
	'{"id":1234567890123456789,"near":1}',
	'{"ids":[-1234567890123456789,9007199254740993]}',
	'{"said":"\\": 1234567890123456789","b":[9223372036854775807,0.5]}',
])("%p is written as it was read", (text) => {
	expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test("what a number can hold is a number, and what is no JSON is nothing", () => {
	const text = '{"at":1700000000000000,"half":1234567890123456.5,"wide":1e300,"id":1234567890123456789}';
	expect(parseExactly(text)).toMatchObject({ at: 1700000000000000, half: 1234567890123456.5, wide: 1e300 });
	expect(parseExactly('{"id":1234567890123456789')).toBeUndefined();
});

test("large integers are found wherever they stand", () => {
	expect(['{"a":9007199254740993}', "[1, 9007199254740993]"].map(holdsLargeInteger)).toEqual([true, true]);
	expect(['{"a":9007199254740991}', '{"a":"9007199254740993"}', "{}"].map(holdsLargeInteger)).toEqual([
		false,
		false,
		false,
	]);
});
