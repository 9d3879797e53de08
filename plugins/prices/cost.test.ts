import { describe, expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import type { Usage } from "#core";
import { cost, costBound, outputFor, taskCost } from "./cost.ts";
import type { Price } from "./service.ts";
import { unknownTier } from "./tiers.ts";

const price: Price = { input: 2.5, output: 10, cacheRead: 0.25 };
const usage = (input: Usage["input"], output: Usage["output"], more: Partial<Usage> = {}): Usage => ({
	input,
	output,
	...more,
});

describe("the cost of a call in micro-dollars", () => {
	test.each<[string, Usage, Price, number | undefined]>([
		["plain tokens", usage({ total: 1000 }, { total: 100 }), price, 3500],
		["cached tokens are cheaper", usage({ total: 1000, cacheRead: 800 }, { total: 0 }), price, 700],
		[
			"cached tokens without a rate cost what others cost",
			usage({ total: 10, cacheRead: 10 }, { total: 0 }),
			{ input: 3 },
			30,
		],
		["pages of a document", usage({ total: 0 }, { total: 0 }, { units: { pages: 3 } }), { perPage: 0.01 }, 30_000],
		["pages without a rate", usage({ total: 0 }, { total: 0 }, { units: { pages: 3 } }), { perRequest: 1 }, undefined],
		[
			"sound read from a cache has its own rate, and is not heard anew",
			usage({ total: 100, cacheRead: 60, cacheReadAudio: 50, audio: 70 }, { total: 0 }),
			{ input: 1, cacheRead: 0.1, cacheReadAudio: 0.5, inputAudio: 4 },
			50 * 0.5 + 10 * 0.1 + 20 * 4 + 20,
		],
		[
			"sound read from a cache costs what all that is read costs, where nothing else is said",
			usage({ total: 100, cacheRead: 60, cacheReadAudio: 50, audio: 70 }, { total: 0 }),
			{ input: 1, cacheRead: 0.1, inputAudio: 4 },
			60 * 0.1 + 20 * 4 + 20,
		],
		[
			"rounded up once, not for each part",
			usage({ total: 1, cacheRead: 0 }, { total: 1 }),
			{ input: 0.4, output: 0.4 },
			1,
		],
		["a hundredth of a micro-dollar still costs one", usage({ total: 1 }, { total: 0 }), { input: 0.01 }, 1],
		["nothing used, nothing charged", usage({ total: 0 }, { total: 0 }), price, 0],
		["no error of floating point: 0.07 × 100 is 7", usage({ total: 100 }, { total: 0 }), { input: 0.07 }, 7],
		["0.1 × 3 + 0.2 × 1 is 1, not more", usage({ total: 3 }, { total: 1 }), { input: 0.1, output: 0.2 }, 1],
		[
			"written to the cache, for minutes and for an hour",
			usage({ total: 100, cacheWrite: 60, cacheWriteLong: 20 }, { total: 0 }),
			{ input: 3, cacheWrite: 3.75, cacheWriteLong: 6 },
			40 * 3 + 40 * 3.75 + 20 * 6,
		],
		[
			"reasoning at its own rate",
			usage({ total: 0 }, { total: 100, reasoning: 60 }),
			{ output: 8, reasoning: 3 },
			40 * 8 + 60 * 3,
		],
		[
			"sound in and out",
			usage({ total: 100, audio: 50 }, { total: 20, audio: 10 }),
			{ input: 1, inputAudio: 4, output: 2, outputAudio: 20 },
			50 + 200 + 20 + 200,
		],
		[
			"a long input changes every rate",
			usage({ total: 200_001 }, { total: 10 }),
			{
				input: { base: 3, steps: [{ above: 200_000, rate: 6 }] },
				output: { base: 15, steps: [{ above: 200_000, rate: 22.5 }] },
			},
			200_001 * 6 + 225,
		],
		[
			"an input of exactly the border does not",
			usage({ total: 200_000 }, { total: 10 }),
			{ input: { base: 3, steps: [{ above: 200_000, rate: 6 }] }, output: 15 },
			600_150,
		],
		[
			"searches",
			usage({ total: 0 }, { total: 0 }, { serverTools: { web_search: 2, file_search: 3, code_execution: 9 } }),
			{ input: 1, perWebSearch: 0.01, perFileSearch: 0.0025 },
			20_000 + 7_500 + 30_000,
		],
		[
			"hosted tools without a fee of their own",
			usage(
				{ total: 0 },
				{ total: 0 },
				{ serverTools: { web_search: 1, file_search: 1, image_generation: 1, web_fetch: 9 } },
			),
			{ input: 1 },
			35_000 + 2_500 + 250_000,
		],
		["a fee for each call", usage({ total: 10 }, { total: 0 }), { input: 1, perRequest: 0.005 }, 5_010],
		["a part larger than its whole counts as the whole", usage({ total: 10, cacheRead: 99 }, { total: 0 }), price, 3],
		["no rate for output, some output", usage({ total: 10 }, { total: 1 }), { input: 1 }, undefined],
		["no rate for output, and none of it", usage({ total: 10 }, { total: 0 }), { input: 1 }, 10],
		["no rate for input, some input", usage({ total: 10 }, { total: 1 }), { output: 1 }, undefined],
		["a fee for each call and no other rate", usage({ total: 10 }, { total: 1 }), { perRequest: 0.005 }, 5_000],
		["a price for tasks says nothing of tokens", usage({ total: 10 }, { total: 1 }), { perImage: 0.04 }, undefined],
	])("%s", (_name, used, at, expected) => expect(cost(used, at)).toBe(expected));

	test("a whole number for any usage, and never less than the true sum", () => {
		const tokens = fc.integer({ min: 0, max: 2_000_000 });
		const rate = fc.integer({ min: 0, max: 100_000_000 }).map((value) => value / 1_000_000);
		fc.assert(
			fc.property(tokens, tokens, rate, rate, (input, output, inputRate, outputRate) => {
				const charged =
					cost(usage({ total: input }, { total: output }), { input: inputRate, output: outputRate }) ?? -1;
				const exact =
					BigInt(input) * BigInt(Math.round(inputRate * 1e6)) + BigInt(output) * BigInt(Math.round(outputRate * 1e6));
				expect(BigInt(charged)).toBe((exact + 999_999n) / 1_000_000n);
			}),
		);
	});
});

describe("agrees with the data package's own sums", () => {
	test.each([
		["gpt-4o", { input_tokens: 12_345, output_tokens: 678, cache_read_tokens: 2_000 }],
		[
			"claude-sonnet-4-5",
			{ input_tokens: 250_000, output_tokens: 999, cache_read_tokens: 100_000, cache_write_tokens: 50_000 },
		],
		["gemini-2.5-pro", { input_tokens: 200_001, output_tokens: 10 }],
	])("for %s", (model, used) => {
		const theirs = calcPrice(used, model);
		const rates = theirs?.model_price ?? {};
		const rate = (key: string): Price["input"] => {
			const value = rates[key];
			return typeof value === "object"
				? { base: value.base, steps: value.tiers.map((tier) => ({ above: tier.start, rate: tier.price })) }
				: value;
		};
		const ours = cost(
			usage(
				{
					total: used.input_tokens,
					cacheRead: used["cache_read_tokens" as never] ?? 0,
					cacheWrite: used["cache_write_tokens" as never] ?? 0,
				},
				{ total: used.output_tokens },
			),
			{
				input: rate("input_mtok") ?? 0,
				output: rate("output_mtok") ?? 0,
				cacheRead: rate("cache_read_mtok") ?? 0,
				cacheWrite: rate("cache_write_mtok") ?? 0,
			},
		);
		expect(Math.abs((ours ?? 0) - (theirs?.total_price ?? 0) * 1e6)).toBeLessThanOrEqual(1);
	});
});

describe("a bound", () => {
	test("is never below what a call within it costs", () => {
		const part = fc.integer({ min: 0, max: 1_000_000 });
		const rate = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined });
		const prices = fc.record({
			input: fc.constant(1.5),
			output: fc.double({ min: 0, max: 100, noNaN: true }),
			cacheRead: rate,
			cacheReadAudio: rate,
			cacheWrite: rate,
			cacheWriteLong: rate,
			reasoning: rate,
			inputAudio: rate,
			inputImage: rate,
			inputVideo: rate,
			outputAudio: rate,
			outputImage: rate,
			outputVideo: rate,
			perRequest: rate,
		});
		fc.assert(
			fc.property(
				prices,
				fc.array(part, { minLength: 11, maxLength: 11 }),
				part,
				part,
				(found, [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0], more, extra) => {
					const at = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Price;
					const used = usage(
						{
							total: a,
							cacheRead: b,
							cacheWrite: c,
							cacheWriteLong: d,
							audio: e,
							image: f,
							video: j,
							cacheReadAudio: k,
						},
						{ total: g, reasoning: h, audio: i, video: f },
					);
					const bound = costBound({ inputTokens: a + more, outputTokens: g + extra, longCache: true }, at) ?? -1;
					expect(bound).toBeGreaterThanOrEqual(cost(used, at) ?? 0);
				},
			),
		);
	});
	test("holds searches and the fee", () => {
		expect(
			costBound(
				{ inputTokens: 10, outputTokens: 5, fees: { webSearches: 3, fileSearches: 0, codeSessions: 0, images: 0 } },
				{ input: 1, output: 2, perWebSearch: 0.01, perRequest: 0.001 },
			),
		).toBe(10 + 10 + 30_000 + 1_000);
	});
	test("leaves the hour's cache out where nothing is kept for an hour", () => {
		const at: Price = { input: 3, cacheWrite: 3.75, cacheWriteLong: 6 };
		expect(costBound({ inputTokens: 100, outputTokens: 0 }, at)).toBe(375);
		expect(costBound({ inputTokens: 100, outputTokens: 0, longCache: true }, at)).toBe(600);
	});
});

test("output that fits into some money costs no more than it, and one token more would", () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 1e9 }), fc.double({ min: 0.001, max: 100, noNaN: true }), (money, rate) => {
			const at: Price = { input: 0, output: rate };
			const tokens = outputFor(money, 0, at);
			expect(costBound({ inputTokens: 0, outputTokens: tokens }, at)).toBeLessThanOrEqual(money);
			expect(costBound({ inputTokens: 0, outputTokens: tokens + 1 }, at)).toBeGreaterThan(money);
		}),
	);
	expect(outputFor(5, 0, { input: 1 })).toBe(Number.MAX_SAFE_INTEGER);
});

describe("the cost of a task", () => {
	test.each<[string, Parameters<typeof taskCost>[0], Price, number | undefined]>([
		["images", { images: 4 }, { perImage: 0.04 }, 160_000],
		["seconds, fractions counted", { seconds: 5.5 }, { perSecond: 0.1 }, 550_000],
		["songs", { songs: 2 }, { perSong: 0.05 }, 100_000],
		["unfinished pictures", { images: 1, partialImages: 3 }, { perImage: 0.02 }, 20_000 + 12_000],
		["no more than pictures", { images: 1, partialImages: 3 }, { perImage: 0.001 }, 4_000],
		["nothing, where pictures do", { images: 1, partialImages: 3 }, { perImage: 0 }, 0],
		["their own rate", { images: 1, partialImages: 3 }, { perImage: 0.02, perPartialImage: 0.01 }, 50_000],
		["pictures to begin with", { images: 1, inputImages: 16 }, { perImage: 0.02, perInputImage: 0.06 }, 980_000],
		["none of them where they have no rate", { images: 1, inputImages: 16 }, { perImage: 0.02 }, 20_000],
		["nothing made", { images: 0 }, {}, 0],
		["an unknown unit price", { images: 1 }, { perSecond: 1 }, undefined],
	])("%s", (_name, made, at, expected) => expect(taskCost(made, at)).toBe(expected));
});

describe("a tier", () => {
	const used = usage({ total: 1_000 }, { total: 100 }, { serverTools: { web_search: 1 } });
	const plain: Price = { input: 1, output: 10, perWebSearch: 0.01 };
	test.each<[readonly string[], Price, number]>([
		[[], plain, 2_000],
		[["priority"], plain, 4_000],
		[["fast"], plain, 12_000],
		[["inference_geo:us"], plain, 2_200],
		[["fast", "inference_geo:us"], plain, 13_200],
		[["priority"], { ...plain, tiers: { priority: 1.75 } }, 3_500],
		[["flex"], { ...plain, tiers: { flex: 0.5 } }, 1_000],
		[["turbo"], plain, 2_000],
	])("%j makes tokens dearer, not fees", (tiers, at, tokens) => expect(cost(used, at, tiers)).toBe(tokens + 10_000));
	test("is held at no less than it costs, and leaves room for no more output", () => {
		const tiers = ["fast", "inference_geo:us"];
		expect(costBound({ inputTokens: 1_000, outputTokens: 100, tiers }, plain)).toBe(13_200);
		expect(outputFor(6_600, 1_000, plain, tiers)).toBe(100);
	});
	test("that is cheaper is held at the plain rates: the answer may tell that it was served at those", () => {
		const at = { ...plain, tiers: { flex: 0.5 } };
		const tiers = ["flex", "inference_geo:us"];
		expect(costBound({ inputTokens: 1_000, outputTokens: 100, tiers }, at)).toBe(2_200);
		expect(outputFor(1_100, 1_000, at, tiers)).toBe(100);
	});
	test("without a price is named", () => {
		expect(unknownTier(["priority", "turbo"], plain)).toBe("turbo");
		expect(unknownTier(["turbo"], { ...plain, tiers: { turbo: 3 } })).toBeUndefined();
		expect(unknownTier(["constructor"], plain)).toBe("constructor");
	});
});
