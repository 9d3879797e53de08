/**
 * Prices of models that came after the data package (0.1.8, of September 2026), or changed since: their makers' own, read in
 * November 2026. They go before the package; a test names those that a newer one makes needless.
 */
import { withSteps } from "./long-input.ts";
import type { ConfiguredPrice } from "./prices-config.ts";
import { publishedOf } from "./published.ts";
import type { Price } from "./service.ts";

interface NewerPrice {
	readonly models: RegExp;
	readonly price: Price;
	/** Until when it holds, where its maker has said so. */
	readonly until?: number;
}

/** Above 272,000 tokens OpenAI asks twice as much for what goes in, and half as much again for what comes out. */
const gpt = (input: number): Price => {
	const rates = { input, output: 5 * input, cacheRead: input / 20, cacheWrite: 1.25 * input };
	const { output, cacheRead, cacheWrite } = rates;
	const longInput: ConfiguredPrice["longInput"] = [
		{ above: 272_000, input: 2 * input, output: 1.5 * output, cacheRead: 2 * cacheRead, cacheWrite: 2 * cacheWrite },
	];
	return { ...withSteps({ ...rates, longInput }), perWebSearch: 0.01, perFileSearch: 0.0025 };
};

const claude = (input: number, cacheRead: number): ConfiguredPrice => ({
	input,
	output: 5 * input,
	cacheRead,
	cacheWrite: 1.25 * input,
	cacheWriteLong: 2 * input,
	perWebSearch: 0.01,
});

const haiku: Price = withSteps({
	...claude(0.1, 0.01),
	longInput: [{ above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625, cacheWriteLong: 1 }],
});

const gemini = (input: number): Price => ({ input, output: 5 * input, cacheRead: input / 20 });

const firstOfDecember = Date.UTC(2026, 11, 1);

const newer: readonly NewerPrice[] = [
	{ models: /^gpt-6\.2-astra/, price: gpt(8) },
	{ models: /^gpt-6\.[12]-sol/, price: gpt(2) },
	{ models: /^gpt-6\.1-terra/, price: gpt(1) },
	{ models: /^claude-fable-5-2/, price: claude(8, 0.2) },
	{ models: /^claude-sonnet-5-5/, price: claude(2, 0.1) },
	{ models: /^claude-haiku-5-5/, price: haiku },
	{ models: /^gemini-4-(?:argon|carbon)/, price: gemini(2), until: firstOfDecember },
	{ models: /^gemini-4-(?:argon|carbon)/, price: gemini(4) },
	{ models: /^gemini-4-neon/, price: gemini(3) },
	{ models: /^gemini-4-hydrogen/, price: gemini(1.5) },
];

/** What such a model costs at this time; undefined for all that the package knows. */
export const newerPriceOf = (model: string, now: number): Price | undefined => {
	const found = newer.find(({ models, until }) => models.test(model) && (until === undefined || now < until));
	return found && { ...publishedOf(model), ...found.price };
};
