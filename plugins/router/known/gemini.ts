/** What is known of Gemini models. */
import type { Effort, KnownModels, ModelCapabilities } from "#core";

const thinkingPage = "https://ai.google.dev/gemini-api/docs/thinking";
const levelsPage = "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking";
const guide = "https://ai.google.dev/gemini-api/docs/gemini-3";
const fourthPage = "https://ai.google.dev/gemini-api/docs/generate-content/latest-model";
const fourthThread =
	"https://dev.to/aihubmix/gemini-4-neon-migration-default-high-thinking-400-errors-and-the-65k-cap-45gj";
const developersGuide = (model: string): string =>
	`https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/${model}`;
const signatures = "https://ai.google.dev/gemini-api/docs/thought-signatures";

/** What every Gemini since 3 has in common. */
const third = (efforts: readonly Effort[]): ModelCapabilities => ({
	thinking: "effort",
	efforts,
	contextWindow: 1_048_576,
	maxOutput: 65_536,
	nativeSchema: true,
	schemaBesideTools: true,
	imagesInToolResults: true,
	mixServerAndFunctionTools: true,
	signedCalls: true,
});

/** What every Gemini 4 has in common. */
const fourth = (efforts: readonly Effort[]): ModelCapabilities => ({
	...third(efforts),
	samplingRefused: true,
	prefill: false,
});

/** What all before have in common. */
const second: ModelCapabilities = {
	contextWindow: 1_048_576,
	nativeSchema: true,
	schemaBesideTools: false,
	imagesInToolResults: false,
	mixServerAndFunctionTools: false,
};

const budgeted = (min: number, max: number, off: boolean): ModelCapabilities => ({
	...second,
	thinking: "budget",
	budget: { min, max, off },
	maxOutput: 65_536,
});

export const gemini: readonly KnownModels[] = [
	{
		names: ["gemini-*"],
		capabilities: { ...third(["low", "high"]), effortsAssumed: true },
		sources: [levelsPage, guide, signatures],
		note: "A newer name gets the levels that every Gemini since 3 takes.",
	},
	{
		names: ["gemini-3-pro*"],
		capabilities: third(["low", "high"]),
		sources: [guide, "https://github.com/jenslys/opencode-gemini-auth/issues/14"],
		note: "Answers 400 to `medium` and `minimal`.",
	},
	{
		names: ["gemini-3.1-pro*"],
		capabilities: third(["low", "medium", "high"]),
		sources: [levelsPage, "https://github.com/langchain-ai/langchainjs/pull/10101"],
	},
	{
		names: ["gemini-3*flash*", "gemini-flash*"],
		capabilities: { ...third(["low", "medium", "high"]), effortsAssumed: true },
		sources: [levelsPage, "https://github.com/mozilla-ai/any-llm/pull/1345"],
		note: "`minimal` is taken by 3 to 3.6 Flash and refused from 3.7 Flash on. `low`, which all take, is asked for instead, unless `caps.efforts` names `minimal`.",
	},
	{
		names: ["gemini-4*"],
		capabilities: { ...fourth(["low", "medium", "high"]), effortsAssumed: true },
		sources: [fourthPage, developersGuide("gemini-4-carbon"), fourthThread],
		note: "Refuses penalties and a budget, takes no notice of temperature and its like, and continues no answer that was begun for it.",
	},
	{ names: ["gemini-4-argon*"], capabilities: fourth(["low", "medium", "high"]), sources: [fourthPage, fourthThread] },
	{
		names: ["gemini-4-carbon*"],
		capabilities: fourth(["low", "medium", "high"]),
		sources: [developersGuide("gemini-4-carbon"), fourthThread],
	},
	{
		names: ["gemini-4-hydrogen*", "gemini-4-neon*"],
		capabilities: fourth(["low", "medium", "high", "xhigh"]),
		sources: [developersGuide("gemini-4-hydrogen"), fourthThread],
	},
	{
		names: ["gemini-*-image*", "gemini-3*-image*", "gemini-4*-image*"],
		capabilities: { ...third([]), effortsAssumed: true },
		sources: [levelsPage],
		note: "Makes pictures; the levels differ from model to model, so none is asked for.",
	},
	{
		names: ["gemini-2.5*"],
		capabilities: budgeted(512, 24_576, false),
		sources: [thinkingPage],
		note: "Of a name that is not listed only what all of 2.5 take.",
	},
	{
		names: ["gemini-2.5-pro*"],
		capabilities: budgeted(128, 32_768, false),
		sources: [thinkingPage, "https://github.com/earendil-works/pi/issues/3460"],
	},
	{ names: ["gemini-2.5-flash*"], capabilities: budgeted(1, 24_576, true), sources: [thinkingPage, levelsPage] },
	{ names: ["gemini-2.5-flash-lite*"], capabilities: budgeted(512, 24_576, true), sources: [thinkingPage, levelsPage] },
	{
		names: ["gemini-2.5-flash-image*", "gemini-2.0*", "gemini-1*"],
		capabilities: { ...second, thinking: "none", maxOutput: 8192 },
		sources: ["https://ai.google.dev/gemini-api/docs/models"],
	},
	{
		names: ["gemma-*"],
		capabilities: { ...second, contextWindow: 131_072, thinking: "none" },
		sources: ["https://ai.google.dev/gemma/docs/core/gemma_on_gemini_api"],
	},
	{
		names: ["gemma-4*"],
		capabilities: { ...second, contextWindow: 262_144, thinking: "none" },
		sources: ["https://ai.google.dev/gemma/docs/core/gemma_on_gemini_api"],
	},
];
