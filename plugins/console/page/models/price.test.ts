import { expect, test } from "bun:test";
import { priceOf } from "./price.ts";

const target = { upstream: "openai", model: undefined, weight: undefined, price: undefined };

test("a pattern has no price of its own, and is not said to be without one", () => {
	expect(priceOf("gpt-*", target)).toBe("as of each name");
	expect(priceOf("gpt-*", { ...target, model: "gpt-none" })).toBe("no price known");
	expect(priceOf("gpt-none", target)).toBe("no price known");
	expect(priceOf("gpt-*", { ...target, price: { input: 2.5, output: undefined } })).toBe("$2.50 in, $2.50 out");
});
