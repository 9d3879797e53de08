/** How much a client wants the model to reason: OpenAI's `reasoning_effort`, and the words other vendors use for it. */
import {
	asBoolean,
	asCount,
	asEffort,
	asRecord,
	asText,
	definedOnly,
	type Effort,
	type Reasoning,
	type WireRecord,
} from "#core";

/** The request fields that are read here. */
export const reasoningOptions = [
	"reasoning_effort",
	"reasoning",
	"include_reasoning",
	"thinking",
	"enable_thinking",
	"thinking_budget",
] as const;

const wanted = (effort: Effort | undefined, budget: number | undefined): Reasoning | undefined => {
	if (effort === "none" || budget === 0) return { mode: "off" };
	if (effort === undefined && budget === undefined) return undefined;
	return { mode: "on", ...definedOnly({ effort, budget }) };
};

/** `reasoning: { effort, max_tokens, enabled, exclude }`. */
const fromReasoning = (given: WireRecord): Reasoning | undefined => {
	if (given["enabled"] === false) return { mode: "off" };
	const asked = wanted(asEffort(given["effort"]), asCount(given["max_tokens"]));
	if (asked?.mode === "off") return asked;
	if (asked === undefined && given["enabled"] !== true) return undefined;
	return { ...(asked ?? { mode: "auto" }), expose: given["exclude"] === true ? "none" : "full" };
};

/** `thinking: { type, budget_tokens }`. */
const fromThinking = (given: WireRecord): Reasoning | undefined => {
	const type = asText(given["type"]);
	if (type === "disabled") return { mode: "off" };
	if (type === "adaptive" || type === "auto") return { mode: "auto", expose: "full" };
	if (type !== "enabled") return undefined;
	const budget = asCount(given["budget_tokens"]);
	return budget === undefined ? { mode: "auto", expose: "full" } : { mode: "on", budget, expose: "full" };
};

/** `enable_thinking` with `thinking_budget`. */
const fromSwitch = (body: WireRecord): Reasoning | undefined => {
	const enabled = asBoolean(body["enable_thinking"]);
	if (enabled === undefined) return undefined;
	if (!enabled) return { mode: "off" };
	const budget = asCount(body["thinking_budget"]);
	return budget === undefined ? { mode: "auto", expose: "full" } : { mode: "on", budget, expose: "full" };
};

/** What is asked of reasoning; undefined when nothing is said. OpenAI's own word wins over other vendors'. */
export const decodeReasoningAsked = (body: WireRecord): Reasoning | undefined => {
	const vendor =
		fromReasoning(asRecord(body["reasoning"])) ?? fromThinking(asRecord(body["thinking"])) ?? fromSwitch(body);
	const asked = wanted(asEffort(body["reasoning_effort"]), undefined);
	if (asked === undefined) return vendor;
	const expose = body["include_reasoning"] === true ? "full" : vendor?.expose;
	return { ...asked, ...definedOnly({ expose }) };
};
