/** What is known of models without being told. */
import { describe, expect, test } from "bun:test";
import type { Effort } from "#core";
import { vendorAt } from "./known/vendors.ts";
import { builtIn, createLookup } from "./known-models.ts";
import { capabilitiesOf } from "./service.ts";

const efforts: readonly (readonly [model: string, efforts: readonly Effort[]])[] = [
	["gpt-5-nano", ["minimal", "low", "medium", "high"]],
	["gpt-5-2025-08-07", ["minimal", "low", "medium", "high"]],
	["gpt-5-pro", ["high"]],
	["gpt-5.1", ["none", "low", "medium", "high"]],
	["gpt-5.1-codex", ["low", "medium", "high"]],
	["gpt-5.1-codex-max", ["low", "medium", "high", "xhigh"]],
	["gpt-5.2-pro", ["medium", "high", "xhigh"]],
	["gpt-5.4-mini", ["none", "low", "medium", "high", "xhigh"]],
	["gpt-5.6-terra", ["none", "low", "medium", "high", "xhigh", "max"]],
	["gpt-5.9", ["low", "medium", "high"]],
	["gpt-8", ["low", "medium", "high"]],
	["gpt-8-pro", ["high"]],
	["openai/o4-mini", ["low", "medium", "high"]],
	["claude-haiku-5-5", ["low", "medium", "high", "xhigh", "max"]],
	["claude-opus-4-6", ["low", "medium", "high", "max"]],
	["claude-opus-4-7", ["low", "medium", "high", "xhigh", "max"]],
	["claude-opus-4-5-20251101", ["low", "medium", "high"]],
	["claude-opus-7", ["low", "medium", "high"]],
	["us.anthropic.claude-opus-4-6-v1:0", ["low", "medium", "high", "max"]],
	["gemini-3-pro-preview", ["low", "high"]],
	["gemini-3.1-pro-preview", ["low", "medium", "high"]],
	["models/gemini-3.9-flash", ["low", "medium", "high"]],
	["gemini-flash-latest", ["low", "medium", "high"]],
	["gemini-4-argon", ["low", "medium", "high"]],
	["gemini-4-carbon", ["low", "medium", "high"]],
	["gemini-4-hydrogen", ["low", "medium", "high", "xhigh"]],
	["gemini-4-neon-001", ["low", "medium", "high", "xhigh"]],
	["gemini-4-helium", ["low", "medium", "high"]],
	["gemini-4-flash-image", []],
	["gemini-5-flash", ["low", "high"]],
	["kimi-k3", ["low", "high", "max"]],
	["mistral-medium-3-5", ["none", "high"]],
];

describe("the levels that a model takes", () => {
	test.each(efforts)("%s", (model, taken) => expect(capabilitiesOf(model).efforts).toEqual(taken));

	test.each(["gpt-5-chat-latest", "gpt-5.1-chat-latest", "gpt-7-chat-latest", "chatgpt-4o-latest", "gpt-4o"])(
		"%s takes none",
		(model) => expect(capabilitiesOf(model)).toMatchObject({ thinking: "none", vendor: "openai" }),
	);
});

test.each([
	["claude-opus-4-6", "adaptive", false],
	["claude-opus-4-7", "adaptive", true],
	["claude-fable-5", "always", true],
	["claude-opus-5-5", "always", true],
	["claude-sonnet-4-5-20250929", "budget", undefined],
	["claude-opus-4-20250514", "budget", undefined],
	["claude-3-5-haiku-20241022", "none", undefined],
	["gpt-audio-mini", "none", undefined],
	["gpt-5-mini", "effort", true],
	["gpt-5.1", "effort", "asked"],
	["gpt-5.1-codex", "effort", true],
	["gpt-5.4-nano", "effort", "asked"],
	["gpt-5.4-pro", "effort", true],
	["gpt-5.6-terra", "effort", "thinking"],
] as const)("%s thinks by %s; it refuses sampling: %p", (model, thinking, samplingRefused) => {
	expect(capabilitiesOf(model).thinking).toBe(thinking);
	expect(capabilitiesOf(model)).toMatchObject(samplingRefused === undefined ? {} : { samplingRefused });
	if (samplingRefused === undefined) expect(capabilitiesOf(model)).not.toHaveProperty("samplingRefused");
});

test.each([
	["anthropic/claude-haiku-4.5", "claude-haiku-4-5"],
	["claude-opus-4.7", "claude-opus-4-7"],
	["anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet"],
	["us.anthropic.claude-sonnet-4.6", "claude-sonnet-4-6"],
	["databricks-claude-opus-4-8", "claude-opus-4-8"],
	["moonshotai.kimi-k2-thinking", "kimi-k2-thinking"],
	["openai.gpt-oss-120b-1:0", "gpt-oss-120b"],
	["accounts/fireworks/models/qwen3p8-27b", "qwen3.8-27b"],
	["accounts/fireworks/models/kimi-k2p6", "kimi-k2.6"],
])("%s is %s", (dotted, name) => expect(capabilitiesOf(dotted)).toEqual(capabilitiesOf(name)));

test("a plugin may write a Claude's name with a dot or without", () => {
	const look = createLookup([{ names: ["claude-lark-1.5*"], capabilities: { maxOutput: 7 }, sources: [] }]);
	expect([look("claude-lark-1.5"), look("claude-lark-1-5-preview")]).toEqual([{ maxOutput: 7 }, { maxOutput: 7 }]);
});

test.each([
	["claude-opus-5", undefined],
	["claude-fable-5", undefined],
	["claude-fable-5-1", false],
	["claude-fable-5-3", false],
	["claude-opus-5-5", false],
	["claude-sonnet-5-5", false],
	["claude-haiku-5-5", undefined],
	["claude-next-7", false],
] as const)("whether %s may be made to call a tool: %p", (model, forcedCalls) =>
	expect(capabilitiesOf(model).forcedCalls).toBe(forcedCalls),
);

test.each([
	["gemini-2.5-pro", { min: 128, max: 32_768, off: false }],
	["gemini-2.5-flash", { min: 1, max: 24_576, off: true }],
	["gemini-2.5-flash-lite", { min: 512, max: 24_576, off: true }],
	["gemini-2.5-nano", { min: 512, max: 24_576, off: false }],
] as const)("%s takes a budget, and 0 only where that is not refused", (model, budget) =>
	expect(capabilitiesOf(model).budget).toEqual(budget),
);

test("strict vendors are known by the model's name or by the upstream's vendor", () => {
	for (const model of ["mistral-large-latest", "mistralai/mistral-small-4", "devstral-2512", "magistral-medium"])
		expect(capabilitiesOf(model)).toMatchObject({ strictFields: true, vendor: "mistral" });
	expect(capabilitiesOf("gpt-oss-120b").strictFields).toBeUndefined();
	expect(capabilitiesOf("gpt-oss-120b", "groq")).toMatchObject({ strictFields: true, vendor: "groq" });
	expect(capabilitiesOf("kimi-k2.6", "cerebras")).toMatchObject({ strictFields: true, reasoningWithCalls: false });
	expect(capabilitiesOf("anything", "nobody-knows")).toEqual({ vendor: "nobody-knows" });
});

test("Anthropic, Alibaba, ByteDance, SiliconFlow and Tencent are known by their addresses", () => {
	expect(vendorAt("https://api.anthropic.com")).toBe("anthropic");
	for (const region of ["dashscope", "dashscope-intl", "cn-hongkong.dashscope"])
		expect(vendorAt(`https://${region}.aliyuncs.com/compatible-mode/v1`)).toBe("dashscope");
	for (const host of ["ark.cn-beijing.volces.com", "ark.ap-southeast.bytepluses.com"])
		expect(vendorAt(`https://${host}/api/v3`)).toBe("volcengine");
	for (const end of ["cn", "com"]) expect(vendorAt(`https://api.siliconflow.${end}/v1`)).toBe("siliconflow");
	for (const host of ["api.lkeap.cloud.tencent.com", "api.lkeap.tencentcloud.com"])
		expect(vendorAt(`https://${host}/v1`)).toBe("tencent");
	expect(vendorAt("https://aliyuncs.com.example/v1")).toBeUndefined();
	expect(capabilitiesOf("deepseek-v4-pro", "dashscope").maxTokensField).toBe("either");
});

test("config has the last word", () => {
	expect(capabilitiesOf("gpt-5", undefined, { efforts: ["high"], samplingRefused: false })).toMatchObject({
		efforts: ["high"],
		samplingRefused: false,
		maxOutput: 128_000,
	});
	expect(capabilitiesOf("x", "groq", { strictFields: false }).strictFields).toBe(false);
});

test("what a plugin adds goes before what is built in where both fit alike", () => {
	const look = createLookup([
		{ names: ["lark-*", "gpt-5.1"], capabilities: { maxOutput: 7 }, sources: ["https://lark.example"] },
		{ vendors: ["groq"], capabilities: { strictFields: false }, sources: [] },
	]);
	expect(look("lark-2")).toEqual({ maxOutput: 7 });
	expect(look("gpt-5.1").maxOutput).toBe(7);
	expect(look("gpt-5.1-codex").maxOutput).toBe(128_000);
	expect(look("m", "groq").strictFields).toBe(false);
});

test("every entry says where it was read, and no pattern stands twice", () => {
	const entries = Object.values(builtIn).flat();
	for (const { sources } of entries) {
		expect(sources.length).toBeGreaterThan(0);
		for (const source of sources) expect(source).toStartWith("https://");
	}
	const names = entries.flatMap((entry) => entry.names ?? []);
	expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
