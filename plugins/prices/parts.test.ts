/** The parts that people are shown add up to what calls are charged. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { cost } from "./cost.ts";
import { priceParts, savedBy } from "./parts.ts";

const tokens = fc.integer({ min: 0, max: 400_000 });
const rate = fc.integer({ min: 0, max: 50_000 }).map((thousandths) => thousandths / 1000);
const stepped = fc.record({ base: rate, steps: fc.tuple(fc.record({ above: fc.constant(200_000), rate })) });
const anyRate = fc.oneof(rate, stepped);
const optional = { requiredKeys: ["input", "output"] as ("input" | "output")[] };
const price = fc.record(
	{ input: anyRate, output: anyRate, cacheRead: anyRate, cacheWrite: anyRate, reasoning: anyRate },
	optional,
);

test("parts add up to the charge, whatever the rates", () => {
	fc.assert(
		fc.property(price, tokens, tokens, tokens, tokens, tokens, (rates, plain, read, written, said, thought) => {
			const usage = {
				input: { total: plain + read + written, cacheRead: read, cacheWrite: written },
				output: { total: said + thought, reasoning: thought },
			};
			const sum = priceParts(usage, rates).reduce((all, part) => all + part.tokens * part.rate, 0);
			expect(Math.abs(sum - (cost(usage, rates) ?? Number.NaN))).toBeLessThanOrEqual(1.001);
		}),
	);
});

test("a rate that nobody knows is no part", () => {
	const usage = { input: { total: 10 }, output: { total: 5 } };
	expect(priceParts(usage, { perRequest: 1 })).toEqual([]);
	expect(priceParts(usage, { input: 2 })).toEqual([{ what: "input", tokens: 10, rate: 2 }]);
});

test("a cache saves the difference of two rates, and nothing where one of them is not known", () => {
	expect(savedBy(2_000_000, { input: 3, cacheRead: 0.3 })).toBeCloseTo(5.4, 12);
	expect(savedBy(2_000_000, { input: 3 })).toBe(0);
	expect(savedBy(2_000_000, { cacheRead: 1 })).toBe(0);
});
