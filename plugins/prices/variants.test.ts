import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cost, costBound, taskCost } from "./cost.ts";
import type { Price, Said, Variant } from "./service.ts";

const pictures: Price = {
	perImage: 0.25,
	variants: [
		{ when: { quality: "low" }, perImage: 0.02 },
		{ when: { quality: "medium", size: ["small", "square"] }, perImage: 0.05 },
		{ when: { quality: "medium", size: "large" }, perImage: 0.07 },
		{ when: { quality: "high", size: "small" }, perImage: 0.17 },
	],
};
const clips: Price = {
	perSecond: 0.4,
	variants: [
		{ when: { resolution: [720, "720p", null], sound: [false, null], fps: "*" }, perSecond: 0.1 },
		{ when: { resolution: "1080p", sound: true }, perSecond: 0.6 },
	],
};
const dollars = (price: Price, said?: Said, told?: Record<string, unknown>): number => {
	const made = price === pictures ? { images: 1 } : { seconds: 1 };
	return (taskCost(made, price, { ...(said && { said }), ...(told && { told }) }) ?? Number.NaN) / 1e6;
};

describe("a task costs", () => {
	test.each<[name: string, expected: number, price: Price, ...words: [said?: Said, told?: Record<string, unknown>]]>([
		["the first that fits", 0.02, pictures, { quality: "low" }],
		["the first that fits, of several fields", 0.07, pictures, { quality: "medium", size: "large" }],
		["any word of a list", 0.05, pictures, { quality: "medium", size: "square" }],
		["the plain price where none fits", 0.25, pictures, { quality: "high", size: "large" }],
		["the dearest that it may be where a word is missing", 0.25, pictures, { quality: "medium" }],
		["no dearer than that", 0.4, clips, { resolution: "1080", sound: false }],
		["the same, and the plain price is among them", 0.25, pictures, { quality: "high" }],
		["the same of a word that nothing lists", 0.25, pictures, { quality: "LOW" }],
		["the dearest of all where nothing is said", 0.25, pictures, {}],
		["the dearest of all where nothing is known", 0.25, pictures],
		["what is not one word may be any", 0.25, pictures, { quality: null }],
		["a field that is no other name for one that counts changes nothing", 0.02, pictures, { quality: "low", seed: 1 }],
		["a format of one picture changes nothing", 0.02, pictures, { quality: "low", output_format: "webp" }],
		["a format of many makes it the dearest", 0.25, pictures, { quality: "low", output_format: "gif" }],
		["so does a drawing", 0.25, pictures, { quality: "low", output_format: "svg" }],
		["one that may be makes it the dearest", 0.25, pictures, { quality: "low", Quality: "low" }],
		["a shape may be a size", 0.25, pictures, { quality: "low", aspect_ratio: "16:9" }],
		["and is none where no size counts", 0.1, clips, { resolution: 720, aspect_ratio: "16:9" }],
		["null is what was not sent", 0.1, clips, {}],
		["a number is no text", 0.4, clips, { resolution: "720", sound: false }],
		["true is not its word", 0.6, clips, { resolution: "1080p", sound: "true" }],
		["dearer than the plain price where it is certain", 0.6, clips, { resolution: "1080p", sound: true }],
		["and where it may be", 0.6, clips, { resolution: "1080p", sound: "on" }],
		["a star is whatever it says", 0.1, clips, { sound: false, fps: null }],
		["the plain price where the words are known and fit nothing", 0.4, clips, { resolution: "1080p", sound: false }],
		["a star that a client sends is a word that nothing lists", 0.6, clips, { resolution: "1080p", sound: "*" }],
		["a client's own star", 0.25, pictures, { quality: "*", size: "*" }],
		["what was made, where it was left open", 0.02, pictures, {}, { quality: "low" }],
		["what was made, whatever was asked", 0.17, pictures, { quality: "low" }, { quality: "high", size: "small" }],
		["the dearest where that is not known either", 0.25, pictures, { quality: "low" }, { quality: "ultra" }],
		["no word of what was made where the request is not clear", 0.25, pictures, { hd: true }, { quality: "low" }],
		["the same of a field that has no one word", 0.25, pictures, { quality: null }, { quality: "low" }],
		["nothing that was told of other things", 0.02, pictures, { quality: "low" }, { output_format: "png" }],
	])("%s", (...[, expected, price, said, told]) => expect(dollars(price, said, told)).toBe(expected));

	test("what a variant has no rate for costs the plain rate, and nothing without any is priced", () => {
		const songs: Price = { perSong: 0.1, variants: [{ when: { quality: "low" }, perImage: 0.01 }] };
		expect(taskCost({ songs: 1, images: 1 }, songs, { said: { quality: "low" } })).toBe(110_000);
		expect(taskCost({ seconds: 1 }, songs, { said: { quality: "low" } })).toBeUndefined();
		expect(taskCost({ images: 1 }, songs, { said: {} })).toBe(10_000);
	});

	test.each<[number, Said]>([
		[0.1, { background: "opaque", moderation: "low", n: 1 }],
		[0.9, { background: "opaque", sampleCount: 2, n: 1 }],
		[0.9, { background: "transparent", n: 1 }],
		[0.9, { background: "opaque", n: 1, sampleCount: 1 }],
	])("%p where a price goes by fields of which others have other names: %j", (expected, said) => {
		const at: Price = { perImage: 0.9, variants: [{ when: { background: "opaque", n: 1 }, perImage: 0.1 }] };
		expect(taskCost({ images: 1 }, at, { said })).toBe(expected * 1e6);
	});

	test("never less than what the same words surely are, whatever else is said", () => {
		const word = fc.constantFrom("low", "medium", "high", "small", "square", "large");
		const fields = fc.record({ quality: word, size: word }, { requiredKeys: [] });
		const more = fc.dictionary(fc.constantFrom("QUALITY", "hd", "size_", "mode", "extra"), word);
		fc.assert(
			fc.property(fields, more, (said, others) => {
				expect(dollars(pictures, { ...said, ...others })).toBeGreaterThanOrEqual(dollars(pictures, said));
			}),
		);
	});

	test("never less than any way to say what was left out", () => {
		const words = { quality: ["low", "medium", "high"], size: ["small", "square", "large"] };
		const rate = fc.integer({ min: 0, max: 100 }).map((value) => value / 100);
		const when = fc.record(
			{ quality: fc.subarray(words.quality, { minLength: 1 }), size: fc.subarray(words.size, { minLength: 1 }) },
			{ requiredKeys: [] },
		);
		const variants: fc.Arbitrary<Variant[]> = fc.array(fc.record({ when, perImage: rate }), { maxLength: 5 });
		fc.assert(
			fc.property(rate, variants, (perImage, some) => {
				// The last names both fields for all the others: one that no variant named would be clear of nothing.
				const price = { perImage, variants: [...some, { when: { quality: "*", size: "*" }, perImage }] };
				const costs = (said: Said) => taskCost({ images: 1 }, price, { said }) ?? 0;
				for (const quality of words.quality)
					for (const size of words.size) {
						expect(costs({ quality })).toBeGreaterThanOrEqual(costs({ quality, size }));
						expect(costs({})).toBeGreaterThanOrEqual(costs({ quality }));
					}
			}),
		);
	});
});

test("a picture that no task makes costs the dearest", () => {
	const at = { ...pictures, input: 0, output: 0 };
	const used = { input: { total: 1 }, output: { total: 1 } };
	expect(cost({ ...used, serverTools: { image_generation: 1 } }, at)).toBe(250_000);
	expect(
		cost({ input: { total: 0 }, output: { total: 0 }, units: { images: 2 } }, { variants: at.variants ?? [] }),
	).toBe(340_000);
	const fees = { webSearches: 0, fileSearches: 0, codeSessions: 0, images: 1 };
	expect(costBound({ inputTokens: 1, outputTokens: 1, fees }, at)).toBe(250_000);
});
