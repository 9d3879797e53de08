import { expect, test } from "bun:test";
import fc from "fast-check";
import { namedTwiceIn } from "./named-twice.ts";

test.each([
	['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":"\\"a\\":1,\\"a\\""}]}', undefined],
	['{"a":1, "a" :2}', "a"],
	['{"x":[{"a":{"b":1}},{"a":"{","b":[],"a":"}"}]}', "a"],
	['{"x":{"\\u0061":1,"a":2}}', "a"],
	['{"x":[["a","a",{"y":"a"}],"a","a"]}', undefined],
	['{"__proto__":{"a":1},"":{"":1}}', undefined],
])("%s", (text, name) => expect(namedTwiceIn(text)).toBe(name));

test("what was written from a value names nothing twice; a value put in once more is found", () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.string(), fc.boolean(), (value, name, first) => {
			const text = JSON.stringify(value);
			expect(namedTwiceIn(text)).toBeUndefined();
			const more = JSON.stringify(name);
			expect(namedTwiceIn(`[{${first ? `${more}:1,` : ""}${more}:${text},${more}:0}]`)).toBe(name);
		}),
	);
});
