/** What is known of models that are mostly reached by Chat Completions: DeepSeek, Kimi, Mistral and their like. */
import type { KnownModels, ModelCapabilities } from "#core";

const deepseekPage = "https://api-docs.deepseek.com/guides/thinking_mode";
const kimiPage = "https://platform.kimi.ai/docs/guide/use-thinking-effort";
const kimiThread = "https://github.com/QuantumNous/new-api/issues/3121";
const grokPage = "https://docs.x.ai/developers/model-capabilities/text/reasoning";
const mistralPage = "https://docs.mistral.ai/api/";

const kimiChoiceThread = "https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152";
const kimiSchemas = "https://github.com/vercel/ai/pull/18921";
const kimiK3Thread = "https://github.com/enricoros/big-AGI/issues/1161";

/** Models that think unless told not to, and want their reasoning back beside tool calls. */
const insisting: ModelCapabilities = { thinking: "effort", reasoningWithCalls: true };
const kimi: ModelCapabilities = {
	...insisting,
	contextWindow: 262_144,
	films: true,
	forcedCalls: "unthinking",
	samplingRefused: true,
	typedUnions: false,
};

/** What Mistral's own service demands of every request. */
export const mistralService: ModelCapabilities = {
	vendor: "mistral",
	strictFields: true,
	nineCharacterCallIds: true,
	answerAfterResults: true,
	maxTokensField: "max_tokens",
	developerRole: false,
	documentAddresses: true,
	nativeSchema: true,
};

export const chatModels: readonly KnownModels[] = [
	{
		names: ["deepseek-*"],
		capabilities: {
			...insisting,
			thinkingSwitch: "thinking",
			efforts: ["low", "medium", "high", "xhigh", "max"],
			forcedCalls: "unthinking",
			nativeSchema: false,
			developerRole: false,
			maxTokensField: "max_tokens",
		},
		sources: [
			deepseekPage,
			"https://api-docs.deepseek.com/guides/json_mode",
			"https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
			"https://github.com/Gitlawb/openclaude/issues/878",
			"https://github.com/HKUDS/nanobot/issues/946",
			"https://github.com/earendil-works/pi/issues/1048",
			"https://github.com/earendil-works/pi/issues/8018",
		],
		note: "Takes every word and maps it to `low`, `high` or `max` itself. Takes no notice of `max_completion_tokens`. Reasoning that is an empty text counts as missing. While it thinks no call can be forced; it takes no schema for its answer, and 400 is its answer to the role `developer`.",
	},
	{
		names: ["kimi-*"],
		capabilities: { ...kimi, thinking: "always", efforts: [] },
		sources: [kimiPage, kimiThread, kimiChoiceThread, kimiSchemas],
		note: "While it thinks no call can be forced, and sampling is its own. A newer name gets no level, and its thinking is not switched off: not all of the family take that.",
	},
	{
		names: ["kimi-k2.5*", "kimi-k2.6*"],
		capabilities: { ...kimi, thinkingSwitch: "thinking", efforts: [] },
		sources: [kimiPage, kimiThread, kimiChoiceThread, "https://github.com/bytedance/deer-flow/issues/3043"],
	},
	{
		names: ["kimi-k2-thinking*", "kimi-k2.7*"],
		capabilities: { ...kimi, thinking: "always", efforts: [] },
		sources: ["https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model"],
	},
	{
		names: ["kimi-k3*"],
		capabilities: {
			...kimi,
			thinking: "always",
			efforts: ["low", "high", "max"],
			contextWindow: 1_048_576,
			forcedCalls: "unnamed",
		},
		sources: [kimiPage, kimiChoiceThread, kimiK3Thread],
		note: "Can be made to call a tool, not a certain one.",
	},
	{
		names: ["kimi-k2", "kimi-k2-0*", "kimi-k2-turbo*", "kimi-latest*", "moonshot-*"],
		capabilities: { thinking: "none", films: true, typedUnions: false },
		sources: ["https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model", kimiSchemas],
	},
	{
		names: ["mimo-*"],
		capabilities: { ...insisting, thinkingSwitch: "thinking", efforts: [] },
		sources: [
			"https://platform.xiaomimimo.com/docs/en-US/usage-guide/passing-back-reasoning_content",
			"https://github.com/decolua/9router/issues/1210",
		],
	},
	{
		names: ["glm-*"],
		capabilities: { thinkingSwitch: "thinking", films: true, developerRole: false, maxTokensField: "max_tokens" },
		sources: [
			"https://docs.z.ai/guides/capabilities/thinking-mode",
			"https://github.com/vastsa/PI-Desktop/issues/30",
			"https://github.com/earendil-works/pi/issues/7143",
		],
		note: "400 for the role `developer`. Takes no notice of `max_completion_tokens`.",
	},
	{
		names: ["qwen*", "doubao-*", "seed-*", "internvl*", "llava*", "nova-*"],
		capabilities: { films: true, developerRole: false },
		sources: [
			"https://www.alibabacloud.com/help/en/model-studio/vision",
			"https://github.com/proma-ai/Proma/issues/1496",
			"https://github.com/agno-agi/agno/issues/6697",
		],
		note: "Whether and how they think depends on who serves them. 400 for the role `developer`.",
	},
	{
		names: ["qwen3.*", "minimax-*"],
		capabilities: { films: true, developerRole: false, midSystem: false },
		sources: [
			"https://github.com/vllm-project/vllm/issues/41114",
			"https://github.com/ollama/ollama/issues/17774",
			"https://github.com/openclaw/openclaw/issues/19386",
		],
		note: "As their kin, and 400 for a second message of the role `system`, or one amid the conversation.",
	},
	{
		names: ["grok-*"],
		capabilities: { thinking: "always", efforts: [] },
		sources: [grokPage, "https://github.com/acedergren/opencode-oci-provider/releases/tag/v0.2.3"],
		note: "Many answer 400 to any level, so a name that is not listed is asked for none.",
	},
	{
		names: ["grok-3-mini*"],
		capabilities: { thinking: "always", efforts: ["low", "high"] },
		sources: ["https://github.com/anomalyco/opencode/issues/39448"],
	},
	{
		names: ["grok-4.3*"],
		capabilities: { thinking: "effort", efforts: ["none", "low", "medium", "high"], contextWindow: 1_000_000 },
		sources: ["https://newreleases.io/project/github/vercel/ai/release/@ai-sdk%2Fxai@4.0.0-canary.61"],
	},
	{
		names: ["grok-4.5*"],
		capabilities: { thinking: "always", efforts: ["low", "medium", "high"] },
		sources: [grokPage, "https://github.com/anomalyco/opencode/issues/39448"],
	},
	{
		names: ["grok-4.6*", "grok-4.7*"],
		capabilities: { thinking: "always", efforts: ["low", "medium", "high", "xhigh"] },
		sources: [grokPage, "https://github.com/xai-org/xai-proto/pull/70"],
	},
	{
		names: ["grok-3*", "grok-2*", "grok-*non-reasoning*"],
		capabilities: { thinking: "none" },
		sources: [grokPage],
	},
	{
		names: [
			"mistral-*",
			"ministral-*",
			"codestral-*",
			"devstral-*",
			"labs-devstral-*",
			"pixtral-*",
			"voxtral-*",
			"open-mistral-*",
			"open-mixtral-*",
		],
		capabilities: { ...mistralService, thinking: "none" },
		sources: [mistralPage, "https://github.com/pydantic/pydantic-ai/issues/5285"],
	},
	{
		names: [
			"mistral-medium-3-5*",
			"mistral-medium-3.5*",
			"mistral-medium-latest",
			"mistral-small-latest",
			"mistral-small-2603*",
		],
		capabilities: { ...mistralService, thinking: "effort", efforts: ["none", "high"], contextWindow: 262_144 },
		sources: [mistralPage, "https://github.com/pydantic/pydantic-ai/issues/5285"],
	},
	{
		names: ["magistral-*"],
		capabilities: { ...mistralService, thinking: "always", efforts: [] },
		sources: [mistralPage, "https://github.com/pydantic/pydantic-ai/issues/5285"],
	},
];
