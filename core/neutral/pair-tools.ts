/** Brings tool calls and their results together, whatever order and roles a client sent them in. */
import { isDeepStrictEqual } from "node:util";
import type { Block, Message, ToolCallBlock, ToolResultBlock } from "./content.ts";
import type { Losses } from "./losses.ts";
import { inPlaceOf, placed } from "./place.ts";

interface Pairing {
	readonly losses: Losses;
	/** The conversation goes on from one that the upstream keeps: results may answer calls that are not here. */
	readonly stateful: boolean;
}

/** One call of the conversation with the result that was found for it. */
interface Paired {
	readonly call: ToolCallBlock;
	result: ToolResultBlock | undefined;
}

/** The messages in the order written at `normalizeRequest`. */
export const pairTools = (messages: readonly Message[], pairing: Pairing): readonly Message[] => {
	if (!messages.some(({ blocks }) => blocks.some(isToolBlock))) return messages;
	const calls = new Calls();
	const rest: Message[] = [];
	for (const message of messages) {
		const blocks = message.blocks.flatMap((block): readonly Block[] => {
			if (block.type === "tool_call") return [calls.add(block)];
			if (block.type !== "tool_result") return [block];
			return calls.answer(block, pairing.losses) ? [] : orphan(block, pairing);
		});
		const before = rest.at(-1);
		if (blocks.length === 0) continue;
		if (before && isOneTurn(before, { ...message, blocks }, calls))
			rest[rest.length - 1] = inPlaceOf({ ...before, blocks: [...before.blocks, ...blocks] }, before);
		else rest.push({ ...message, blocks });
	}
	return rest.flatMap((message) => [message, ...calls.resultsOf(message)]);
};

const isToolBlock = (block: Block): boolean => block.type === "tool_call" || block.type === "tool_result";

const orphan = (block: ToolResultBlock, { losses, stateful }: Pairing): readonly Block[] => {
	if (stateful) return [block];
	losses.node(block, `no tool call has the id "${block.callId.slice(0, 80)}"`);
	return [];
};

/** Calls split over several messages, or thinking split from what it led to. */
const isOneTurn = (before: Message, after: Message, calls: Calls): boolean => {
	if (before.role !== "assistant" || after.role !== "assistant") return false;
	if (before.blocks.every(isThought)) return true;
	const open = before.blocks.filter((block) => block.type === "tool_call");
	return (
		open.length > 0 &&
		!open.some(({ id }) => calls.isAnswered(id)) &&
		after.blocks.some(({ type }) => type === "tool_call")
	);
};

const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "opaque_thinking";

/** The calls of a conversation, found by id. */
class Calls {
	/** By the id the client gave; several when it gave one id several times. */
	private readonly byClientId = new Map<string, Paired[]>();
	private readonly byId = new Map<string, Paired>();

	/** The call under an id that no other has. */
	add(block: ToolCallBlock): ToolCallBlock {
		let id = block.id;
		for (let again = 2; this.byId.has(id); again++) id = `${block.id}_${again}`;
		const call = id === block.id ? block : inPlaceOf({ ...block, id }, block);
		const paired: Paired = { call, result: undefined };
		this.byId.set(id, paired);
		const same = this.byClientId.get(block.id);
		if (same) same.push(paired);
		else this.byClientId.set(block.id, [paired]);
		return call;
	}

	/** Takes the result for the earliest call that waits for it, else in place of the last result; false without a call. */
	answer(block: ToolResultBlock, losses: Losses): boolean {
		const same = this.byClientId.get(block.callId);
		const paired = same?.find((candidate) => candidate.result === undefined) ?? same?.at(-1);
		if (!paired) return false;
		const { call, result } = paired;
		if (result && !isDeepStrictEqual(result.content, block.content))
			losses.node(result, "a later result of the same tool call stands in its place");
		const named = { ...block, callId: call.id, name: block.name ?? call.name, kind: block.kind ?? call.kind };
		paired.result = inPlaceOf(named, block);
		return true;
	}

	isAnswered(id: string): boolean {
		return this.byId.get(id)?.result !== undefined;
	}

	/** The message with the results of a message's calls; none when it has no calls. */
	resultsOf(message: Message): readonly Message[] {
		const blocks = message.blocks.flatMap((block) => {
			const paired = block.type === "tool_call" ? this.byId.get(block.id) : undefined;
			return paired ? [paired.result ?? missing(paired.call)] : [];
		});
		return blocks.length === 0 ? [] : [{ role: "tool", blocks }];
	}
}

/** Said by Portico, so it stands at no place of the client's. */
const missing = ({ id, name, kind }: ToolCallBlock): ToolResultBlock => {
	const content = [placed({ type: "text", text: "No result of this tool call was given." } as const, "")];
	return placed({ type: "tool_result", callId: id, name, kind, isError: true, content }, "");
};
