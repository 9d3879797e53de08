import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cost, taskCost } from "./cost.ts";

describe("fractions of what is no token", () => {
	/** Hundredths of a second, and micro-dollars. */
	const hundredths = fc.integer({ min: 1, max: 10_000_000 });
	const rate = fc.integer({ min: 0, max: 1_000_000 });
	const none = { input: { total: 0 }, output: { total: 0 } };
	const up = (sum: bigint, by: bigint): number => Number((sum + by - 1n) / by);

	test("of a minute that is heard or spoken cost exactly their part", () => {
		fc.assert(
			fc.property(hundredths, rate, (time, money) => {
				const exact = up(BigInt(time) * BigInt(money), 6_000n);
				const seconds = time / 100;
				const dollars = money / 1e6;
				expect(cost({ ...none, units: { audioSecondsIn: seconds } }, { perMinuteAudioIn: dollars })).toBe(exact);
				expect(cost({ ...none, units: { audioSecondsOut: seconds } }, { perMinuteAudioOut: dollars })).toBe(exact);
			}),
			{ examples: [[134, 6_000]] },
		);
	});
	test("of no less than what is billed at least", () => {
		const price = { perMinuteAudioIn: 0.06, leastSecondsAudioIn: 10 };
		for (const [seconds, microDollars] of [
			[0, 10_000],
			[0.01, 10_000],
			[10, 10_000],
			[10.5, 10_500],
		] as const)
			expect(cost({ ...none, units: { audioSecondsIn: seconds } }, price)).toBe(microDollars);
		expect(cost({ ...none, units: { searches: 1 } }, { ...price, perThousandSearches: 2 })).toBe(2_000);
	});
	test("of a second of a film too", () => {
		fc.assert(
			fc.property(hundredths, rate, (time, money) => {
				const exact = up(BigInt(time) * BigInt(money), 100n);
				expect(taskCost({ seconds: time / 100 }, { perSecond: money / 1e6 })).toBe(exact);
			}),
			{ examples: [[7, 100_000]] },
		);
	});
	test("of a minute whose price was told by the hour", () => {
		const minute = 0.02 / 60;
		expect(cost({ ...none, units: { audioSecondsIn: 7_200 } }, { perMinuteAudioIn: minute })).toBe(40_000);
	});
});
