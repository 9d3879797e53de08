/** What is known of OpenAI's models. */
import type { Effort, KnownModels, ModelCapabilities } from "#core";

const reasoningPage = "https://developers.openai.com/api/docs/guides/reasoning";
const modelPage = (name: string): string => `https://developers.openai.com/api/docs/models/${name}`;
const effortType = "https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort";

/** What all of OpenAI's models have in common: the protocol is theirs, and they refuse what others added to it. */
const openai: ModelCapabilities = {
	vendor: "openai",
	developerRole: true,
	maxTokensField: "max_completion_tokens",
	nativeSchema: true,
	strictTools: true,
};

/** The window since GPT-5.4, but for its small kin. */
const long = 1_050_000;

/** Models that reason. */
const reasoner = (efforts: readonly Effort[], contextWindow = 400_000): ModelCapabilities => ({
	...openai,
	thinking: "effort",
	efforts,
	contextWindow,
	maxOutput: 128_000,
	samplingRefused: true,
	customTools: true,
});

/** The models before GPT-5.5 that reason: they refuse stop sequences. */
const unstopped = (efforts: readonly Effort[], contextWindow?: number): ModelCapabilities => ({
	...reasoner(efforts, contextWindow),
	stopRefused: true,
});
/** Where thinking may be switched off, temperature may be given without it; some do not think until they are asked to. */
const calm = (capabilities: ModelCapabilities, samplingRefused: "thinking" | "asked"): ModelCapabilities => ({
	...capabilities,
	samplingRefused,
});
const samplingRule = "https://github.com/vercel/ai, @ai-sdk/openai 3.0.141, supportsNonReasoningParameters";

const stopThread = "https://github.com/BerriAI/litellm/pull/28650";

const speaker = (maxOutput: number, contextWindow = 128_000): ModelCapabilities => ({
	...openai,
	thinking: "none",
	maxOutput,
	contextWindow,
	maxTokensField: "max_tokens",
});

export const gpt: readonly KnownModels[] = [
	{
		names: ["gpt-*"],
		capabilities: { ...reasoner(["low", "medium", "high"], long), effortsAssumed: true },
		sources: [reasoningPage],
		note: "A newer name gets the levels that every GPT since 5 takes.",
	},
	{
		names: ["codex-*"],
		capabilities: { ...reasoner(["low", "medium", "high"]), effortsAssumed: true },
		sources: [reasoningPage],
	},
	{
		names: ["gpt-*-pro*"],
		capabilities: { ...reasoner(["high"], long), effortsAssumed: true },
		sources: [effortType, modelPage("gpt-5-pro")],
		note: "`high` is the only level that every pro model takes.",
	},
	{
		names: ["gpt-*-chat*"],
		capabilities: { ...speaker(16_384), samplingRefused: true, maxTokensField: "max_completion_tokens" },
		sources: [
			"https://github.com/egoist/chatwise-releases/issues/1257",
			"https://github.com/Laisky/one-api/issues/266",
			"https://github.com/Laisky/one-api/issues/285",
		],
		note: "What ChatGPT uses: no effort is sent, for it takes `medium` alone, which is what it does anyway.",
	},
	{
		names: ["gpt-5-chat*", "chatgpt-*"],
		capabilities: { ...speaker(16_384), maxTokensField: "max_completion_tokens" },
		sources: [
			modelPage("gpt-5-chat-latest"),
			"https://github.com/vercel/ai, @ai-sdk/openai 3.0.141, getOpenAILanguageModelCapabilities",
		],
		note: "Does not reason, and takes temperature.",
	},
	{
		names: ["gpt-6*"],
		capabilities: { ...reasoner(["low", "medium", "high", "xhigh", "max"], long), effortsAssumed: true },
		sources: [
			modelPage("gpt-6-astra"),
			"https://github.com/vercel/ai, @ai-sdk/openai 3.0.141, supportedReasoningEfforts",
		],
	},
	{
		names: ["gpt-6-sol*", "gpt-6-luna*", "gpt-6.1-terra*"],
		capabilities: reasoner(["none", "low", "medium", "high", "xhigh", "max"], long),
		sources: ["https://github.com/vercel/ai, @ai-sdk/openai 3.0.141, supportedReasoningEfforts"],
	},
	{
		names: ["gpt-5.6*"],
		capabilities: calm(reasoner(["none", "low", "medium", "high", "xhigh", "max"], long), "thinking"),
		sources: [
			modelPage("gpt-5.6-luna"),
			"https://github.com/anomalyco/opencode/issues/36141",
			reasoningPage,
			samplingRule,
		],
	},
	{
		names: ["gpt-5.2*", "gpt-5.4-mini*", "gpt-5.4-nano*"],
		capabilities: calm(unstopped(["none", "low", "medium", "high", "xhigh"]), "asked"),
		sources: [reasoningPage, modelPage("gpt-5.4"), modelPage("gpt-5.2"), stopThread, samplingRule],
	},
	{
		names: ["gpt-5.4*"],
		capabilities: calm(unstopped(["none", "low", "medium", "high", "xhigh"], long), "asked"),
		sources: [reasoningPage, modelPage("gpt-5.4"), stopThread, samplingRule],
	},
	{
		names: ["gpt-5.5*"],
		capabilities: calm(reasoner(["none", "low", "medium", "high", "xhigh"], long), "thinking"),
		sources: [reasoningPage, modelPage("gpt-5.5"), stopThread, samplingRule],
	},
	{
		names: ["gpt-5.2-pro*"],
		capabilities: reasoner(["medium", "high", "xhigh"]),
		sources: [modelPage("gpt-5.2-pro")],
	},
	{
		names: ["gpt-5.4-pro*", "gpt-5.5-pro*"],
		capabilities: reasoner(["medium", "high", "xhigh"], long),
		sources: [modelPage("gpt-5.4-pro")],
	},
	{
		names: ["gpt-5.2-codex*", "gpt-5.3-codex*"],
		capabilities: reasoner(["low", "medium", "high", "xhigh"]),
		sources: [modelPage("gpt-5.3-codex"), modelPage("gpt-5.2-codex")],
		note: "Always reasons.",
	},
	{
		names: ["gpt-5.1*"],
		capabilities: calm(unstopped(["none", "low", "medium", "high"]), "asked"),
		sources: [effortType, "https://github.com/anomalyco/opencode/issues/4451", stopThread, samplingRule],
	},
	{
		names: ["gpt-5.1-codex*"],
		capabilities: reasoner(["low", "medium", "high"]),
		sources: ["https://github.com/RayBytes/ChatMock/pull/80"],
	},
	{
		names: ["gpt-5.1-codex-max*"],
		capabilities: reasoner(["low", "medium", "high", "xhigh"]),
		sources: ["https://github.com/openai/codex/pull/7449", effortType],
	},
	{
		names: ["gpt-5", "gpt-5-2*", "gpt-5-mini*", "gpt-5-nano*"],
		capabilities: unstopped(["minimal", "low", "medium", "high"]),
		sources: [modelPage("gpt-5"), effortType, stopThread],
	},
	{
		names: ["gpt-5-codex*"],
		capabilities: reasoner(["low", "medium", "high"]),
		sources: [modelPage("gpt-5-codex")],
	},
	{ names: ["gpt-5-pro*"], capabilities: reasoner(["high"]), sources: [effortType, modelPage("gpt-5-pro")] },
	{
		names: ["o1*", "o3-mini*"],
		capabilities: { ...reasoner(["low", "medium", "high"], 200_000), maxOutput: 100_000 },
		sources: [reasoningPage],
	},
	{
		names: ["o3*", "o4*"],
		capabilities: { ...unstopped(["low", "medium", "high"], 200_000), maxOutput: 100_000 },
		sources: [reasoningPage, modelPage("o3"), "https://platform.openai.com/docs/api-reference/chat/create"],
	},
	{
		names: ["o1-mini*", "o1-preview*"],
		capabilities: { ...reasoner([], 128_000), maxOutput: 65_536 },
		sources: [modelPage("o1-mini")],
		note: "Reasons, and has no levels.",
	},
	{
		names: ["o3-deep-research*", "o4-mini-deep-research*"],
		capabilities: { ...reasoner([], 200_000), maxOutput: 100_000 },
		sources: [modelPage("o3-deep-research")],
		note: "Reasons, and has no levels.",
	},
	{
		names: ["gpt-oss*"],
		capabilities: { thinking: "effort", efforts: ["low", "medium", "high"], contextWindow: 131_072 },
		sources: ["https://huggingface.co/openai/gpt-oss-120b"],
		note: "Open weights, which others serve.",
	},
	{
		names: ["gpt-4.1*"],
		capabilities: speaker(32_768, 1_047_576),
		sources: [modelPage("gpt-4.1")],
	},
	{
		names: ["gpt-4o-search*", "gpt-4o-mini-search*"],
		capabilities: { ...speaker(16_384), searches: "always" },
		sources: [modelPage("gpt-4o-search-preview")],
	},
	{
		names: ["gpt-5-search*"],
		capabilities: {
			...speaker(128_000),
			maxTokensField: "max_completion_tokens",
			samplingRefused: true,
			searches: "always",
		},
		sources: [modelPage("gpt-5-search-api")],
	},
	{
		names: ["gpt-4o-mini*"],
		// A picture of eight tiles, at 2,833 tokens and 5,667 for each tile.
		capabilities: { ...speaker(16_384), imageTokens: 49_152 },
		sources: [modelPage("gpt-4o-mini")],
	},
	{ names: ["gpt-4o*"], capabilities: speaker(16_384), sources: [modelPage("gpt-4o")] },
	{
		names: ["gpt-audio*"],
		capabilities: speaker(16_384),
		sources: [modelPage("gpt-audio"), modelPage("gpt-audio-mini")],
	},
	{
		names: ["gpt-4*", "gpt-3.5*"],
		capabilities: {
			vendor: "openai",
			thinking: "none",
			maxOutput: 4096,
			maxTokensField: "max_tokens",
			developerRole: true,
		},
		sources: [modelPage("gpt-4-turbo")],
	},
];
