import { describe, expect, test } from "bun:test";
import { isFault } from "#core";
import { askOf } from "../fixtures/asks.ts";

const denialOf = (make: () => unknown) => {
	try {
		make();
	} catch (error) {
		if (isFault(error)) return error.denial;
		throw error;
	}
	return undefined;
};

describe("the address", () => {
	test.each([
		["gemini-2.5-flash:generateContent", "gemini-2.5-flash", "generate", false],
		["gemini-2.5-flash:streamGenerateContent?alt=sse", "gemini-2.5-flash", "generate", true],
		["openai/gpt-5:generateContent", "openai/gpt-5", "generate", false],
		["openai%2Fgpt-5%3AgenerateContent", "openai/gpt-5", "generate", false],
		["models/gemini-x:generateContent", "gemini-x", "generate", false],
		["llama3:8b:generateContent", "llama3:8b", "generate", false],
		["x:countTokens", "x", "count_tokens", false],
	] as const)("%s", (tail, name, operation, stream) =>
		expect(askOf({ contents: "Hi" }, tail).call).toMatchObject({ name, operation, stream }),
	);

	test.each([
		"gemini-2.5-flash",
		"gemini-2.5-flash:predict",
		"a:b:c",
		"..%2f..:generateContent",
		"a%2f..%2fb:generateContent",
		"a%00b:generateContent",
		"a%5c..%5cb:generateContent",
		":generateContent",
		"%zz:generateContent",
		"a%3Fb:generateContent",
		"x:constructor",
	])("%s is nothing here", (tail) =>
		expect(denialOf(() => askOf({ contents: "Hi" }, tail))).toMatchObject({ kind: "not_found" }),
	);
});

describe("limits", () => {
	test("are found in either spelling, with a key for the provider's cache", () => {
		const body = {
			contents: "Hi",
			generation_config: { max_output_tokens: 9, candidate_count: 2 },
			cachedContent: "c/1",
		};
		expect(askOf(body).call).toEqual({
			operation: "generate",
			name: "gemini-2.5-flash",
			stream: false,
			candidates: 2,
			maxOutputTokens: 9,
			affinity: "c/1",
		});
	});

	test.each([
		["maxOutputTokens", 0],
		["maxOutputTokens", -1],
		["maxOutputTokens", 1.5],
		["maxOutputTokens", "5"],
		["maxOutputTokens", 2 ** 53],
		["candidateCount", 10_000],
		["candidateCount", 0],
		["temperature", "1"],
		["temperature", 3],
		["topP", 1.5],
		["logprobs", 1e6],
	])("%s of %p is refused by name", (name, value) =>
		expect(denialOf(() => askOf({ contents: "Hi", generationConfig: { [name]: value } }))).toMatchObject({
			kind: "invalid_request",
			parameter: `generationConfig.${name}`,
		}),
	);

	test("a limit under two spellings is no limit, and is refused", () => {
		const twice = { maxOutputTokens: 5, max_output_tokens: 50_000 };
		expect(denialOf(() => askOf({ contents: "Hi", generationConfig: twice }))?.message).toContain("two spellings");
		for (const config of [{ maxOutputTokens: 5, MaxOutputTokens: 50_000 }, { MAX_OUTPUT_TOKENS: 50_000 }])
			expect(denialOf(() => askOf({ contents: "Hi", generationConfig: config }))?.parameter).toContain("OutputTokens");
		const configs = { contents: "Hi", generationConfig: {}, generation_config: { max_output_tokens: 50_000 } };
		expect(denialOf(() => askOf(configs))?.parameter).toBe("generationConfig");
	});

	test("a tier under two spellings is two prices, and is refused", () => {
		const twice = { serviceTier: "standard", service_tier: "priority" };
		expect(denialOf(() => askOf({ contents: "Hi", ...twice }))?.parameter).toBe("serviceTier");
		const config = denialOf(() => askOf({ contents: "Hi", generationConfig: twice }));
		expect(config?.parameter).toBe("generationConfig.serviceTier");
	});

	test.each([[{}], [{ contents: [] }], [{ contents: 5 }]])("contents in %p are refused", (body) =>
		expect(denialOf(() => askOf(body))).toMatchObject({ kind: "invalid_request", parameter: "contents" }),
	);
});
