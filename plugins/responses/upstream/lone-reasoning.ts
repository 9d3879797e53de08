/** Reasoning that led to nothing: OpenAI refuses the whole request where an item of reasoning has no item of the model's behind it. */
import type { Block, WireRecord } from "#core";
import type { Writing } from "./writing.ts";

/** True for what the model said or did; results and answers to its questions are the client's. */
const isModels = ({ role, type }: WireRecord): boolean =>
	role === undefined ? !/_(output|response)$/.test(String(type)) : role === "assistant";

/** The items without such reasoning. Clients keep it of a turn that was broken off, or drop the text that followed. */
export const withoutLone = (
	items: readonly WireRecord[],
	reasoning: ReadonlyMap<WireRecord, Block>,
	{ losses }: Writing,
): readonly WireRecord[] => {
	const lone = new Set<WireRecord>();
	let followed = false;
	for (const item of items.toReversed()) {
		const block = reasoning.get(item);
		if (block === undefined) followed = isModels(item);
		else if (!followed) {
			lone.add(item);
			losses.node(block, "nothing of the model's follows it, for which the upstream refuses the request");
		}
	}
	return lone.size === 0 ? items : items.filter((item) => !lone.has(item));
};
