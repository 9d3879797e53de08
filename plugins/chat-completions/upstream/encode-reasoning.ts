/** How much the model is to reason, for an upstream: `reasoning_effort`, and the switches of other vendors. */
import { fittingEffort, nearestEffort, noLevels, type Reasoning, thinksAnyway, type WireRecord } from "#core";
import type { Writing } from "./target.ts";

/** Thinking is switched off by its own field where the model has one, else by the least effort it takes. */
const off = ({ context, sameProtocol, losses }: Writing): WireRecord => {
	const { efforts, thinking, thinkingSwitch } = context.capabilities;
	if (thinkingSwitch !== undefined) return { [thinkingSwitch]: { type: "disabled" } };
	if (efforts !== undefined) {
		if (!efforts.includes("none")) losses.setting("reasoning", thinksAnyway);
		return { reasoning_effort: nearestEffort("none", efforts) };
	}
	return sameProtocol || thinking === "effort" ? { reasoning_effort: "none" } : {};
};

const on = (reasoning: Reasoning, { context, losses }: Writing): WireRecord => {
	const { efforts, thinkingSwitch } = context.capabilities;
	if (efforts?.length === 0) losses.setting("reasoning", noLevels);
	return {
		reasoning_effort: fittingEffort(reasoning, efforts),
		...(thinkingSwitch !== undefined && { [thinkingSwitch]: { type: "enabled" } }),
	};
};

/** Models of OpenAI's that do not reason refuse the word; of others it is not known, so they are asked. */
const canReason = ({ context, openai, sameProtocol }: Writing): boolean => {
	const { thinking } = context.capabilities;
	return thinking === undefined ? !openai || sameProtocol : thinking !== "none";
};

/** `reasoning_effort`, and the vendor's own switch where it has one; nothing when nothing is to be said. */
export const encodeReasoning = (writing: Writing): WireRecord => {
	const { reasoning } = writing.request;
	if (reasoning === undefined || reasoning.mode === "default" || reasoning.mode === "auto") return {};
	if (canReason(writing)) return reasoning.mode === "off" ? off(writing) : on(reasoning, writing);
	if (reasoning.mode === "on") writing.losses.setting("reasoning", "the model does not reason");
	return {};
};
