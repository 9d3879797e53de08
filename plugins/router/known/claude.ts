/** What is known of Claude models. */
import type { KnownModels, ModelCapabilities } from "#core";

const effortPage = "https://platform.claude.com/docs/en/build-with-claude/effort";
const thinkingPage = "https://platform.claude.com/docs/en/build-with-claude/thinking";
const overviewPage = "https://platform.claude.com/docs/en/about-claude/models/overview";
const bindingPage = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking";
const aiSdk = "https://github.com/vercel/ai, @ai-sdk/anthropic 3.0.138, getModelCapabilities";

/** What Claude models have in common that decide themselves how much to think. */
const adaptive: ModelCapabilities = {
	thinking: "adaptive",
	nativeSchema: true,
	strictTools: true,
	imagesInToolResults: true,
	prefill: false,
};

const latest: ModelCapabilities = {
	...adaptive,
	contextWindow: 1_000_000,
	maxOutput: 128_000,
	samplingRefused: true,
	efforts: ["low", "medium", "high", "xhigh", "max"],
};

/** Of Opus 5.5 and Fable 5.1 on: always thinking, of its own accord alone, and bound to the conversation. */
const bound: ModelCapabilities = { ...latest, thinking: "always", forcedCalls: false, boundThinking: true };

const budgeted = (maxOutput: number, nativeSchema: boolean): ModelCapabilities => ({
	thinking: "budget",
	budget: { min: 1024, max: maxOutput - 1000 },
	contextWindow: 200_000,
	maxOutput,
	nativeSchema,
	imagesInToolResults: true,
});

const early = (maxOutput: number): ModelCapabilities => ({
	thinking: "none",
	contextWindow: 200_000,
	maxOutput,
	nativeSchema: false,
	imagesInToolResults: true,
});

export const claude: readonly KnownModels[] = [
	{
		names: ["claude-*"],
		capabilities: {
			...adaptive,
			thinking: "always",
			contextWindow: 1_000_000,
			maxOutput: 64_000,
			samplingRefused: true,
			efforts: ["low", "medium", "high"],
			effortsAssumed: true,
			forcedCalls: false,
			boundThinking: true,
		},
		sources: [effortPage, overviewPage, bindingPage],
		note: "A newer name gets the levels that every Claude with levels takes; that its thinking can be switched off, or a call be forced, is not assumed.",
	},
	{
		names: ["claude-fable-5", "claude-fable-5@*", "claude-mythos-5", "claude-mythos-5@*"],
		capabilities: { ...latest, thinking: "always" },
		sources: [effortPage, thinkingPage, "https://github.com/withceleste/celeste-python/pull/393"],
		note: "As its successors, but calls may be forced.",
	},
	{
		names: ["claude-opus-5-5*", "claude-fable-5*", "claude-mythos-5*"],
		capabilities: bound,
		sources: [
			effortPage,
			aiSdk,
			thinkingPage,
			bindingPage,
			"https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5",
			"https://platform.claude.com/docs/en/models/fable-5-1/migration-guide",
			"https://platform.claude.com/docs/en/models/fable-5-2/whats-new-fable-5-2",
		],
		note: "Refuses `thinking: disabled`; Portico asks for `low` instead. Refuses a forced call.",
	},
	{
		names: ["claude-sonnet-5-5*"],
		capabilities: { ...bound, betweenTools: true },
		sources: [
			effortPage,
			aiSdk,
			bindingPage,
			"https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5",
		],
		note: "Refuses `thinking: disabled`; Portico asks for `between_tools` instead. Refuses a forced call.",
	},
	{
		names: ["claude-opus-5*", "claude-sonnet-5*", "claude-opus-4-7*", "claude-opus-4-8*"],
		capabilities: latest,
		sources: [effortPage, aiSdk, "https://platform.claude.com/docs/en/models/opus-4-6/overview"],
		note: "`xhigh` exists from Opus 4.7 on.",
	},
	{
		names: ["claude-haiku-5*"],
		capabilities: { ...latest, contextWindow: 200_000, efforts: ["low", "medium", "high"], effortsAssumed: true },
		sources: [effortPage, aiSdk],
		note: "The page lists it among models with levels and names none beyond `high` for it.",
	},
	{
		names: ["claude-haiku-5-5*"],
		capabilities: { ...latest, boundThinking: true },
		sources: [
			effortPage,
			bindingPage,
			"https://platform.claude.com/docs/en/models/haiku-5-5/whats-new-haiku-5-5",
			"https://dev.to/aihubmix/tuning-claude-haiku-55s-effort-setting-a-sweep-script-and-the-failure-modes-to-watch-36gj",
		],
	},
	{
		names: ["claude-mythos-preview*"],
		capabilities: { ...latest, contextWindow: 200_000, efforts: ["low", "medium", "high", "max"] },
		sources: [effortPage],
	},
	{
		names: ["claude-opus-4-6*", "claude-sonnet-4-6*"],
		capabilities: {
			...adaptive,
			contextWindow: 1_000_000,
			maxOutput: 128_000,
			samplingRefused: false,
			temperatureOrTopP: true,
			efforts: ["low", "medium", "high", "max"],
		},
		sources: [effortPage, "https://platform.claude.com/docs/en/models/opus-4-6/overview", aiSdk],
		note: "Takes `max` but no `xhigh`.",
	},
	{
		names: ["claude-opus-4-5*"],
		capabilities: {
			...budgeted(64_000, true),
			strictTools: true,
			temperatureOrTopP: true,
			efforts: ["low", "medium", "high"],
		},
		sources: [effortPage, "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-5"],
		note: "Thinks by a budget and has levels of effort beside it.",
	},
	{
		names: ["claude-*-4-5*"],
		capabilities: { ...budgeted(64_000, true), strictTools: true, temperatureOrTopP: true },
		sources: [overviewPage, aiSdk],
	},
	{
		names: ["claude-opus-4-1*"],
		capabilities: { ...budgeted(32_000, true), temperatureOrTopP: true },
		sources: [overviewPage, aiSdk, "https://github.com/open-webui/pipelines/pull/546"],
	},
	{
		names: ["claude-opus-4-0*", "claude-opus-4-2*", "claude-opus-4@*", "claude-opus-4"],
		capabilities: budgeted(32_000, false),
		sources: [overviewPage, aiSdk],
	},
	{
		names: ["claude-sonnet-4-0*", "claude-sonnet-4-2*", "claude-sonnet-4@*", "claude-sonnet-4", "claude-3-7*"],
		capabilities: budgeted(64_000, false),
		sources: [overviewPage, aiSdk],
	},
	{ names: ["claude-3-5*"], capabilities: early(8192), sources: [overviewPage] },
	{ names: ["claude-3*", "claude-2*", "claude-instant*"], capabilities: early(4096), sources: [overviewPage] },
];
