/** Reasoning as the items of an upstream's input. */
import type { OpaqueThinkingBlock, ThinkingBlock, WireRecord } from "#core";
import { isOwn } from "../origin.ts";
import { summariesOf, unpackReasoning } from "../reasoning-value.ts";
import { itemIdOf, type Writing } from "./writing.ts";

export type Reasoned = ThinkingBlock | OpaqueThinkingBlock;

/** Reasoning goes back only to the family that made it, and only as it was; any other model has no use for it. */
export const reasoningItem = (block: Reasoned, { context, losses }: Writing): WireRecord | undefined => {
	const opaque = block.type === "thinking" ? block.signature : block.data;
	if (opaque === undefined || !isOwn(opaque.origin, context.family)) {
		losses.node(block, "only the model that made it can go on from it");
		return undefined;
	}
	const { encrypted, id, lengths } = unpackReasoning(opaque.value);
	// No upstream seals reasoning by nothing: the id alone would name what it keeps, for whichever token.
	if (encrypted === "") {
		losses.node(block, "it has no seal");
		return undefined;
	}
	const full = block.type === "thinking" && block.form === "full" && lengths.length === 0;
	const summary = block.type === "opaque_thinking" || full ? [] : summariesOf(block, lengths);
	return {
		type: "reasoning",
		id: block.itemId ?? id ?? itemIdOf("rs", encrypted),
		summary: summary.map((text) => ({ type: "summary_text", text })),
		...(full && { content: [{ type: "reasoning_text", text: block.text }] }),
		encrypted_content: encrypted,
	};
};

/** True for what the model said or did; results and answers to its questions are the client's. */
const isModels = ({ role, type }: WireRecord): boolean =>
	role === undefined ? !/_(output|response)$/.test(String(type)) : role === "assistant";

/**
 * The items without reasoning that led to nothing, for which OpenAI refuses the whole request. Clients keep it of a turn
 * that was broken off, or drop the text that followed.
 */
export const withoutLone = (
	items: readonly WireRecord[],
	reasoned: ReadonlyMap<WireRecord, Reasoned>,
	{ losses }: Writing,
): readonly WireRecord[] => {
	const lone = new Set<WireRecord>();
	let followed = false;
	for (const item of items.toReversed()) {
		const block = reasoned.get(item);
		if (block === undefined) followed = isModels(item);
		else if (!followed) {
			lone.add(item);
			losses.node(block, "nothing of the model's follows it, for which the upstream refuses the request");
		}
	}
	return lone.size === 0 ? items : items.filter((item) => !lone.has(item));
};
