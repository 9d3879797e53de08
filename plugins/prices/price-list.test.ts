import { describe, expect, test } from "bun:test";
import type { Clock, Log } from "#core";
import { Catalogue } from "./catalogue.ts";
import { cost } from "./cost.ts";
import { PriceList } from "./price-list.ts";
import type { PricesConfig } from "./prices-config.ts";

const warnings: string[] = [];
const log: Log = { debug() {}, info() {}, error() {}, warn: (message) => warnings.push(message), of: () => log };
let now = Date.UTC(2026, 10, 21);
const clock: Clock = { now: () => now, monotonic: () => 0, after: () => () => {} };
const list = (config: PricesConfig): PriceList => new PriceList(config, new Catalogue(clock, log));

describe("which price a model has", () => {
	const configured = list({
		models: { "my-model": { input: 2.5, output: 10, cacheRead: 0.25 }, "my-*": { input: 1 }, "*": { input: 9 } },
	});
	test("the config's exact name first, then its patterns as written", () => {
		expect(configured.find("my-model")).toEqual({ input: 2.5, output: 10, cacheRead: 0.25 });
		expect(configured.find("my-other")).toEqual({ input: 1 });
		expect(configured.find("gpt-4o")).toEqual({ input: 9 });
	});
	test("the config's price of the asked name beats the package's of the upstream's", () => {
		expect(list({ models: { fast: { input: 7 } } }).find("gpt-4o", { requested: "fast" })).toEqual({ input: 7 });
	});
	test("the upstream's name beats the asked one within a source", () => {
		const both = list({ models: { fast: { input: 7 }, "gpt-4o": { input: 8 } } });
		expect(both.find("gpt-4o", { requested: "fast" })).toEqual({ input: 8 });
		expect(list({}).find("gpt-4o-mini", { requested: "gpt-4o" })?.input).toBe(0.15);
	});
	test("what a model costs at one upstream goes before what it costs elsewhere", () => {
		const apart = list({
			models: { "gpt-4o": { input: 8 } },
			upstreams: { azure: { "gpt-4o": { input: 3 }, "*": { input: 1 } }, own: { fast: { input: 0 } } },
		});
		expect(apart.find("gpt-4o", { upstream: "azure" })).toEqual({ input: 3 });
		expect(apart.find("deployment-7", { upstream: "azure", requested: "gpt-4o" })).toEqual({ input: 1 });
		expect(apart.find("gpt-4o", { upstream: "openai" })).toEqual({ input: 8 });
		expect(apart.find("gpt-4o", { upstream: "own", requested: "fast" })).toEqual({ input: 0 });
		expect(apart.find("gpt-4o")).toEqual({ input: 8 });
	});
	test("a long input makes all tokens of its call dearer, those without a rate of their own too", () => {
		const long = list({
			models: {
				m: {
					input: 1,
					output: 10,
					cacheRead: 0.1,
					longInput: [
						{ above: 400, input: 4, output: 40 },
						{ above: 200, input: 2, output: 20, reasoning: 30 },
					],
				},
			},
		}).find("m");
		const charged = (total: number) =>
			long && cost({ input: { total, cacheRead: 100, cacheWrite: 50 }, output: { total: 10, reasoning: 5 } }, long);
		// 50 + 50 written at 1, 100 read at 0.1, 10 at 10.
		expect(charged(200)).toBe(210);
		// 51 + 50 written at 2, 100 read at 0.1, 5 at 20 and 5 at 30.
		expect(charged(201)).toBe(462);
		// 251 + 50 written at 4, 100 read at 0.1, 5 at 40 and 5 at 30.
		expect(charged(401)).toBe(1564);
	});
	test("what is only told of long inputs costs the same in short ones", () => {
		const only = list({ default: { longInput: [{ above: 5, input: 2, output: 3 }] } }).find("m");
		expect(only && cost({ input: { total: 1 }, output: { total: 1 } }, only)).toBe(5);
	});
	test("the asked name helps where the upstream's own is unknown", () => {
		expect(list({}).find("deployment-7", { requested: "gpt-4o-mini" })?.input).toBe(0.15);
	});
	test("the default where nobody knows it, and nothing without a default", () => {
		expect(list({ default: { input: 1, output: 2 } }).find("no-such-model")).toEqual({ input: 1, output: 2 });
		expect(list({}).find("no-such-model")).toBeUndefined();
	});
	test("a pattern that hides another is taken as written", () => {
		expect(list({ models: { "*": { input: 1 }, "my-*": { input: 2 } } }).find("my-x")).toEqual({ input: 1 });
	});
});

describe("the data package", () => {
	const bare = list({});
	test("gives what is published", () => {
		expect(bare.find("gpt-4o")).toMatchObject({
			input: 2.5,
			output: 10,
			cacheRead: 1.25,
			perWebSearch: 0.01,
			contextWindow: 128_000,
		});
		expect(bare.find("claude-sonnet-4-5")).toMatchObject({
			input: { base: 3, steps: [{ above: 200_000, rate: 6 }] },
			cacheWriteLong: { base: 6 },
		});
	});
	test("is completed by what makers ask for sound", () => {
		const dear = { input: 2.5, output: 10, inputAudio: 40, outputAudio: 80 };
		expect(bare.find("gpt-4o-audio-preview-2025-06-03")).toMatchObject(dear);
		expect(bare.find("gpt-4o-audio-preview", { upstream: "azure" })).toMatchObject(dear);
		expect(bare.find("gpt-4o-mini-audio-preview")).toMatchObject({ output: 0.6, inputAudio: 10, outputAudio: 20 });
	});
	test("Gemini's sound in a cache costs otherwise than its words there", () => {
		const price = bare.find("gemini-2.5-flash", { upstream: "google" });
		expect(price).toMatchObject({ cacheRead: 0.03, cacheReadAudio: 0.1, inputAudio: 1 });
	});
	test("is completed by what OpenAI asks for its older search at models that do not reason", () => {
		expect(bare.find("gpt-4o")).toMatchObject({ perWebSearch: 0.01, perWebSearchPreview: 0.025 });
		expect(bare.find("gpt-4.1-mini")?.perWebSearchPreview).toBe(0.025);
		expect(bare.find("gpt-5-mini")?.perWebSearchPreview).toBeUndefined();
	});
	test("has the rate of films that are made", () => {
		expect(bare.find("gemini-omni-flash-preview", { upstream: "google" })?.outputVideo).toBe(17.5);
	});
	test("knows that Groq bills ten seconds of sound at least", () => {
		expect(bare.find("whisper-large-v3-turbo", { upstream: "groq" })?.leastSecondsAudioIn).toBe(10);
		expect(bare.find("whisper-1", { upstream: "openai" })?.leastSecondsAudioIn).toBeUndefined();
	});
	test("gives the provider's price where the upstream is called like a provider", () => {
		const named = bare.find("llama-3.3-70b-versatile", { upstream: "groq" });
		expect(named?.input).toBeNumber();
		expect(bare.find("llama-3.3-70b-versatile", { upstream: "my-own-server" })).toBeUndefined();
	});
	test("takes Claude's dearer speed for what it costs, whatever the upstream is called", () => {
		for (const name of ["anthropic/claude-opus-4.6-fast", "anthropic/claude-opus-4.8-fast"]) {
			const price = bare.find(name, { upstream: "openrouter" });
			expect(price?.output).toBeGreaterThan(25);
			expect(bare.find(name, { upstream: "my-openrouter" })).toEqual(price);
		}
		expect(bare.find("anthropic/claude-opus-4.8", { upstream: "my-openrouter" })?.output).toBe(25);
	});
	test("knows its makers' models that it does not know by name alone", () => {
		expect(bare.find("text-embedding-3-small")?.input).toBe(0.02);
	});
	test("asks nothing for OpenAI's moderation, and knows no price of others without a rate", () => {
		expect(bare.find("omni-moderation-latest")).toEqual({ input: 0 });
		expect(bare.find("gpt-4o", { upstream: "github" })?.input).not.toBe(0);
	});
	test("follows prices that change by date", () => {
		now = Date.UTC(2026, 1, 1);
		const before = list({}).find("claude-opus-4-6")?.input;
		now = Date.UTC(2026, 3, 1);
		expect(before).toMatchObject({ base: 5 });
		expect(list({}).find("claude-opus-4-6")?.input).toBe(5);
	});
	test("is asked again after a minute, and names are not kept without end", () => {
		const catalogue = new Catalogue(clock, log);
		now = Date.UTC(2026, 2, 12, 23, 59, 30);
		expect(catalogue.find("claude-opus-4-6")?.input).toMatchObject({ base: 5 });
		now += 29_000;
		expect(catalogue.find("claude-opus-4-6")?.input).toMatchObject({ base: 5 });
		now += 32_000;
		expect(catalogue.find("claude-opus-4-6")?.input).toBe(5);
		for (let index = 0; index < 10_500; index++) catalogue.find(`unknown-${index}`);
		expect((catalogue as unknown as { kept: Map<string, unknown> }).kept.size).toBeLessThanOrEqual(10_000);
		expect(catalogue.find("x".repeat(100_000))).toBeUndefined();
		// As their makers publish them.
		expect(catalogue.find("gpt-5.5")?.tiers).toEqual({ priority: 2.5 });
		expect(catalogue.find("gpt-5.4")?.tiers).toBeUndefined();
		expect(catalogue.find("claude-opus-4-8")?.tiers).toEqual({ fast: 2 });
		expect(catalogue.find("claude-opus-4-6")?.tiers).toBeUndefined();
		expect(catalogue.find("gemini-3-pro-preview")?.perWebSearch).toBe(0.014);
		expect(catalogue.find("gemini-2.5-pro")?.perWebSearch).toBeUndefined();
		expect(catalogue.find("grok-4.3")?.perWebSearch).toBe(0.005);
		expect(catalogue.find("gpt-5")?.perWebSearch).toBe(0.01);
		expect(warnings).toEqual([]);
	});
});
