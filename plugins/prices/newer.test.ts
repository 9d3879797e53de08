/** Prices of models that are newer than the data package. */
import { expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import { cost } from "./cost.ts";
import { newerPriceOf } from "./newer.ts";

const now = Date.UTC(2026, 10, 26);

const models = [
	["gpt-6.2-astra", "openai"],
	["gpt-6.2-sol", "openai"],
	["gpt-6.1-sol", "openai"],
	["gpt-6.1-terra", "openai"],
	["claude-fable-5-2", "anthropic"],
	["claude-sonnet-5-5", "anthropic"],
	["claude-haiku-5-5", "anthropic"],
	["gemini-4-argon", "google"],
	["gemini-4-carbon", "google"],
	["gemini-4-neon", "google"],
	["gemini-4-hydrogen", "google"],
] as const;

/** Dollars for a million tokens read from the cache, of which the package is asked in its own words. */
const packageAsks = (model: string, providerId: string): number | undefined =>
	calcPrice({ input_tokens: 1_000_000, cache_read_tokens: 1_000_000 }, model, { providerId })?.total_price;

test.each(models)(
	"the data package does not know %s, or an earlier price of it: else the newer one goes",
	(model, provider) => {
		const ours = newerPriceOf(model, now)?.cacheRead;
		expect(ours).toBeDefined();
		expect(packageAsks(model, provider)).not.toBe(typeof ours === "object" ? ours.base : ours);
	},
);

/** Micro-dollars for thousands of tokens that go in, are read from the cache, and come out. */
const charged = (model: string, [input, cacheRead, output]: readonly [number, number, number], at = now) => {
	const price = newerPriceOf(model, at);
	const used = {
		input: { total: 1000 * (input + cacheRead), cacheRead: 1000 * cacheRead },
		output: { total: 1000 * output },
	};
	return price && cost(used, price);
};

test("a call costs what its maker asks, and more where its input is long", () => {
	expect(charged("gpt-6.2-astra", [10, 90, 1])).toBe(80_000 + 36_000 + 40_000);
	expect(charged("gpt-6.1-sol", [300, 0, 1])).toBe(1_200_000 + 15_000);
	expect(charged("claude-haiku-5-5", [1, 99, 10])).toBe(100 + 990 + 5000);
	expect(charged("claude-haiku-5-5", [2, 99, 10])).toBe(1000 + 4950 + 25_000);
	expect(charged("claude-sonnet-5-5-20260928", [1, 10, 1])).toBe(2000 + 1000 + 10_000);
	expect(charged("gemini-4-hydrogen", [100, 0, 10])).toBe(150_000 + 75_000);
});

test("a price that ends on a day ends then", () => {
	const december = Date.UTC(2026, 11, 1);
	expect(charged("gemini-4-carbon", [1, 0, 1], december - 1)).toBe(12_000);
	expect(charged("gemini-4-carbon", [1, 0, 1], december)).toBe(24_000);
});

test("what hosted tools cost is known with it", () => {
	expect(newerPriceOf("gemini-4-neon", now)?.perWebSearch).toBe(0.014);
	expect(newerPriceOf("gpt-6.1-terra", now)?.perFileSearch).toBe(0.0025);
});

test("all others are asked of the package", () => {
	for (const model of [
		"gpt-6-sol",
		"gpt-6.3-sol",
		"claude-sonnet-5",
		"claude-opus-5-5",
		"gemini-3.8-flash",
		"my-gpt-6.1-sol",
	])
		expect(newerPriceOf(model, now)).toBeUndefined();
});
