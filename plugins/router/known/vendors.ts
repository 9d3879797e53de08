/** What is known of those who serve models, whoever made them: the word is what `upstreams[].vendor` has. */
import type { KnownModels } from "#core";
import { mistralService } from "./chat-models.ts";

/** Those of which more is known than their models' names tell, in each of their regions. */
const addresses: readonly (readonly [host: RegExp, vendor: string])[] = [
	[/^api\.anthropic\.com$/, "anthropic"],
	[/\.aliyuncs\.com$/, "dashscope"],
	[/\.siliconflow\.(?:cn|com)$/, "siliconflow"],
	[/\.(?:volces|bytepluses)\.com$/, "volcengine"],
	[/^api\.lkeap\.(?:cloud\.tencent|tencentcloud)\.com$/, "tencent"],
];

/** Whom an address tells, where the config does not say. */
export const vendorAt = (url: string): string | undefined => {
	const { hostname } = new URL(url);
	return addresses.find(([host]) => host.test(hostname))?.[1];
};

/** Alibaba's words for thinking less, which others took over. */
const alibabas = ["enable_thinking", "thinking_budget"] as const;

export const vendors: readonly KnownModels[] = [
	{
		vendors: ["mistral"],
		capabilities: { ...mistralService, reasoningWithCalls: false, forcedCalls: true },
		sources: [
			"https://github.com/BerriAI/litellm/issues/30835",
			"https://github.com/openai/openai-agents-python/issues/442",
			"https://github.com/zed-industries/zed/issues/37021",
		],
		note: "422 for `reasoning_content`, `stream_options.include_usage` and `max_completion_tokens`; a user may not speak directly after tools.",
	},
	{
		vendors: ["groq"],
		capabilities: {
			vendor: "groq",
			strictFields: true,
			schemaBesideTools: false,
			reasoningWithCalls: false,
			forcedCalls: true,
			developerRole: false,
		},
		sources: [
			"https://github.com/tashfeenahmed/freellmapi/issues/1070",
			"https://console.groq.com/docs/openai",
			"https://github.com/vercel/ai/pull/16540",
		],
		note: "400 for `reasoning_content` in the history, and for a form of the answer beside tools.",
	},
	{
		vendors: ["cerebras"],
		capabilities: {
			vendor: "cerebras",
			strictFields: true,
			reasoningWithCalls: false,
			forcedCalls: true,
			developerRole: false,
		},
		sources: ["https://github.com/QwenLM/qwen-code/issues/11045", "https://github.com/Kilo-Org/kilocode/issues/10375"],
		note: "400 for `reasoning_content` in the history, whatever the model.",
	},
	{
		vendors: ["anthropic"],
		capabilities: { limitOfNothing: true },
		sources: [
			"https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
			"https://github.com/QuantumNous/new-api/blob/main/relay/claude_handler.go",
		],
		note: "Known by its address. `max_tokens: 0` fills the cache and writes nothing. Gateways before it (New API) take that for no limit, so that all that the model can write is held there.",
	},
	{
		vendors: ["dashscope"],
		capabilities: { maxTokensField: "either", thinksBeside: 81_920, thoughtFields: alibabas },
		sources: [
			"https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-dashscope",
			"https://www.alibabacloud.com/help/en/model-studio/error-code",
		],
		note: "Known by its addresses. `max_tokens` limits the answer and not what is thought before it; `max_completion_tokens` both, where the model is new enough to read it. So 81,920 tokens of thoughts are held besides, the most that any of them has: `thinking_budget`, `enable_thinking: false` and `caps.thinksBeside` hold less.",
	},
	{
		vendors: ["volcengine"],
		capabilities: { maxTokensField: "either", thinksBeside: 81_920, thoughtFields: ["thinking"] },
		sources: ["https://www.volcengine.com/docs/82379/1494384", "https://github.com/agentscope-ai/QwenPaw/issues/4199"],
		note: "Known by its addresses. Limits as DashScope's; `thinking: {type: disabled}` and `caps.thinksBeside` hold less.",
	},
	{
		vendors: ["siliconflow"],
		capabilities: { maxTokensField: "max_tokens", thinksBeside: 32_768, thoughtFields: alibabas },
		sources: [
			"https://docs.siliconflow.cn/en/userguide/capabilities/reasoning",
			"https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions",
		],
		note: "Known by its addresses. `max_tokens` limits the answer and not what is thought before it, for which 32,768 tokens are held besides: `thinking_budget`, `enable_thinking: false` and `caps.thinksBeside` hold less.",
	},
	{
		vendors: ["tencent"],
		capabilities: { maxTokensField: "max_tokens", thinksBeside: 32_768, thoughtFields: [] },
		sources: ["https://cloud.tencent.com/document/product/1772/115969"],
		note: "Known by its addresses. `max_tokens` limits the answer and not what is thought before it, for which 32,768 tokens are held besides, the most that any of them has: `caps.thinksBeside` holds less.",
	},
];
