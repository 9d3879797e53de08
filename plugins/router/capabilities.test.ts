/** What is known of models without being told. */
import { expect, test } from "bun:test";
import { capabilitiesOf } from "./capabilities.ts";

test.each([
	["gpt-5-nano", ["minimal", "low", "medium", "high"]],
	["gpt-5.1", ["none", "low", "medium", "high"]],
	["gpt-5.4-mini", ["none", "low", "medium", "high", "xhigh"]],
	["gpt-5.6-terra", ["none", "low", "medium", "high", "xhigh", "max"]],
	["openai/o4-mini", ["low", "medium", "high"]],
] as const)("%s knows the efforts its provider takes", (model, efforts) => {
	expect(capabilitiesOf(model)).toMatchObject({ thinking: "effort", efforts, samplingRefused: true });
});

test.each([
	["claude-opus-4-6", "adaptive", false],
	["claude-opus-4-7", "adaptive", true],
	["claude-fable-5", "adaptive", true],
	["claude-sonnet-4-5-20250929", "budget", undefined],
	["claude-opus-4-20250514", "budget", undefined],
] as const)("%s thinks by %s; it refuses sampling: %p", (model, thinking, samplingRefused) => {
	expect(capabilitiesOf(model).thinking).toBe(thinking);
	expect(capabilitiesOf(model).samplingRefused).toBe(samplingRefused as boolean);
});

test("config has the last word", () => {
	expect(capabilitiesOf("gpt-5", { efforts: ["high"], samplingRefused: false })).toMatchObject({
		efforts: ["high"],
		samplingRefused: false,
		maxOutput: 128_000,
	});
});
