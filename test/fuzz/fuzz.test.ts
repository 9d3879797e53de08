/** A few seconds of fuzzing in every run, each with another seed; `npm run fuzz` does it for longer. */
import { expect, test } from "bun:test";
import { fuzz, sides } from "./fuzz.ts";

const seed = Date.now() % 1_000_000;

test.each(sides)(
	`%s: no 500, no hang, no crash (seed ${seed})`,
	async (side) => {
		const { tries, found } = await fuzz(side, 4, seed);
		expect(found).toEqual([]);
		expect(tries).toBeGreaterThan(50);
	},
	30_000,
);
