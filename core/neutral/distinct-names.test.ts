import { expect, test } from "bun:test";
import { DistinctNames } from "./distinct-names.ts";

test("a name that is taken gets the first number that makes it another", () => {
	const names = new DistinctNames(["a_3"]);
	expect(["a", "a", "a", "b", "a_2"].map((name) => names.take(name))).toEqual(["a", "a_2", "a_4", "b", "a_2_2"]);
});

test("names stay as short as they have to be, and differ", () => {
	const names = new DistinctNames([], 12);
	const wanted = ["abcdefghijkl", "abcdefghijkl", "abcdefghijXX", "abcdefghijXX"];
	expect(wanted.map((name) => names.take(name))).toEqual([
		"abcdefghijkl",
		"abcdefghij_2",
		"abcdefghijXX",
		"abcdefghij_3",
	]);
	const many = Array.from({ length: 2_000 }, () => names.take("abcdefghijkl"));
	expect(new Set(many).size).toBe(2_000);
	expect(Math.max(...many.map(({ length }) => length))).toBe(12);
});

test.each([
	["one name", () => "wanted"],
	["names that end alike", (at: number) => `${"a".repeat(60)}${String(at >> 1).padStart(4, "0")}`],
	["names with numbers", (at: number) => (at % 2 ? "a" : `a_${at}`)],
])("the work does not grow with how many want %s", (_, name) => {
	const looks = (count: number): number => {
		let looked = 0;
		const watched = new (class extends Set<string> {
			override has(value: string): boolean {
				looked++;
				return super.has(value);
			}
		})();
		const names = new DistinctNames([], 64);
		Object.assign(names, { taken: watched });
		for (let at = 0; at < count; at++) names.take(name(at));
		return looked;
	};
	expect(looks(4_000)).toBeLessThan(3 * 4_000);
});
