/** Twenty seconds of fuzzing from each side in every run, each from another seed; `npm run fuzz` does it for longer. */
import { expect, test } from "bun:test";
import { fuzz } from "./fuzz.ts";
import { sides } from "./tries.ts";

const seed = Date.now() % 1_000_000_000;

test.each(sides)(
	`%s: no 500, no hang, no crash (from seed ${seed} on)`,
	async (side) => {
		const { tries, found } = await fuzz(side, { seed, milliseconds: 20_000, least: 21 });
		expect(found).toEqual([]);
		expect(tries).toBeGreaterThan(20);
	},
	120_000,
);
