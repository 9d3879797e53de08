/** What is known of models by their names; config has the last word (`caps`). Facts are the providers' published limits. */
import type { ModelCapabilities } from "#core";

/** What OpenAI's reasoning models have in common. */
const reasoner: ModelCapabilities = {
	thinking: "effort",
	maxOutput: 128_000,
	samplingRefused: true,
	developerRole: true,
	maxTokensField: "max_completion_tokens",
	nativeSchema: true,
	strictTools: true,
};

/** What Claude models have in common that decide themselves how much to think. */
const adaptive: ModelCapabilities = {
	thinking: "adaptive",
	maxOutput: 64_000,
	nativeSchema: true,
	strictTools: true,
	imagesInToolResults: true,
	prefill: false,
};

/** The first pattern that fits the name (without a vendor prefix) counts. */
const known: readonly (readonly [pattern: RegExp, capabilities: ModelCapabilities])[] = [
	[/^claude-[a-z]+-(4-[7-9]|[5-9])/, { ...adaptive, samplingRefused: true }],
	[/^claude-[a-z]+-4-6/, { ...adaptive, samplingRefused: false, temperatureOrTopP: true }],
	[
		/^claude-[a-z]+-4-5/,
		{
			thinking: "budget",
			budget: { min: 1024, max: 63_000 },
			maxOutput: 64_000,
			nativeSchema: true,
			strictTools: true,
			imagesInToolResults: true,
			temperatureOrTopP: true,
		},
	],
	[
		/^claude-opus-4/,
		{
			thinking: "budget",
			budget: { min: 1024, max: 31_000 },
			maxOutput: 32_000,
			nativeSchema: false,
			imagesInToolResults: true,
		},
	],
	[
		/^claude-sonnet-4|^claude-3-7/,
		{
			thinking: "budget",
			budget: { min: 1024, max: 63_000 },
			maxOutput: 64_000,
			nativeSchema: false,
			imagesInToolResults: true,
		},
	],
	[/^claude-3-5/, { thinking: "none", maxOutput: 8192, nativeSchema: false, imagesInToolResults: true }],
	[/^claude-3/, { thinking: "none", maxOutput: 4096, nativeSchema: false, imagesInToolResults: true }],
	[/^gpt-5\.([6-9]|\d\d)/, { ...reasoner, efforts: ["none", "low", "medium", "high", "xhigh", "max"] }],
	[/^gpt-5\.[2-5]/, { ...reasoner, efforts: ["none", "low", "medium", "high", "xhigh"] }],
	[/^gpt-5\.1/, { ...reasoner, efforts: ["none", "low", "medium", "high"] }],
	[/^gpt-5/, { ...reasoner, efforts: ["minimal", "low", "medium", "high"] }],
	[/^o[134]/, { ...reasoner, maxOutput: 100_000, efforts: ["low", "medium", "high"] }],
	[/^gpt-4\.1/, { thinking: "none", maxOutput: 32_768, nativeSchema: true, strictTools: true }],
	[/^gpt-4o/, { thinking: "none", maxOutput: 16_384, nativeSchema: true, strictTools: true }],
	[/^gpt-/, { thinking: "none", maxOutput: 4096 }],
	[
		/^gemini-([3-9])/,
		{
			thinking: "effort",
			efforts: ["minimal", "low", "medium", "high"],
			maxOutput: 65_536,
			nativeSchema: true,
			imagesInToolResults: true,
			mixServerAndFunctionTools: true,
		},
	],
	[
		/^gemini-2\.5-pro/,
		{
			thinking: "budget",
			budget: { min: 128, max: 32_768 },
			maxOutput: 65_536,
			nativeSchema: true,
			imagesInToolResults: false,
			mixServerAndFunctionTools: false,
		},
	],
	[
		/^gemini-2\.5/,
		{
			thinking: "budget",
			budget: { min: 0, max: 24_576 },
			maxOutput: 65_536,
			nativeSchema: true,
			imagesInToolResults: false,
			mixServerAndFunctionTools: false,
		},
	],
	[
		/^gemini-/,
		{
			thinking: "none",
			maxOutput: 8192,
			nativeSchema: true,
			imagesInToolResults: false,
			mixServerAndFunctionTools: false,
		},
	],
];

/** Capabilities of a model by its upstream's name for it, with what config says laid over them. */
export const capabilitiesOf = (model: string, configured: ModelCapabilities = {}): ModelCapabilities => {
	const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
	return { ...known.find(([pattern]) => pattern.test(name))?.[1], ...configured };
};
