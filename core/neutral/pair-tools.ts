/** Brings tool calls and their results together, whatever order and roles a client sent them in. */
import { isDeepStrictEqual } from "node:util";
import type { Block, Message, ToolCallBlock, ToolResultBlock } from "./content.ts";
import { DistinctNames } from "./distinct-names.ts";
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
	turn?: Turn;
}

/** The messages in the order written at `normalizeRequest`. */
export const pairTools = (messages: readonly Message[], pairing: Pairing): readonly Message[] => {
	if (!messages.some(({ blocks }) => blocks.some(isToolBlock))) return messages;
	const calls = new Calls();
	const turns: Turn[] = [];
	for (const message of messages) {
		const blocks = message.blocks.flatMap((block): readonly Block[] => {
			if (block.type === "tool_call") return [calls.add(block)];
			if (block.type !== "tool_result") return [block];
			return calls.answer(block, pairing.losses) ? [] : orphan(block, pairing);
		});
		if (blocks.length === 0) continue;
		const before = turns.at(-1);
		if (before?.goesOnIn({ ...message, blocks })) before.add(blocks, calls);
		else turns.push(new Turn(inPlaceOf({ ...message, blocks }, message), calls));
	}
	return turns.flatMap((turn) => [turn.message(), ...calls.resultsOf(turn)]);
};

const isToolBlock = (block: Block): boolean => block.type === "tool_call" || block.type === "tool_result";

const orphan = (block: ToolResultBlock, { losses, stateful }: Pairing): readonly Block[] => {
	if (stateful) return [block];
	losses.node(block, `no tool call has the id "${block.callId.slice(0, 80)}"`);
	return [];
};

/** Messages that are one, put together as they come: what would be looked for in all of them is noted of each. */
class Turn {
	readonly blocks: Block[] = [];
	/** A call of it has a result: what follows is another turn. */
	isAnswered = false;
	private readonly first: Message;
	private thinksOnly = true;
	private calls = false;

	constructor(first: Message, calls: Calls) {
		this.first = first;
		this.add(first.blocks, calls);
	}

	/** Whether calls are split over several messages, or thinking from what it led to. */
	goesOnIn({ role, blocks }: Message): boolean {
		if (this.first.role !== "assistant" || role !== "assistant") return false;
		return this.thinksOnly || (this.calls && !this.isAnswered && blocks.some(({ type }) => type === "tool_call"));
	}

	add(blocks: readonly Block[], calls: Calls): void {
		for (const block of blocks) {
			this.blocks.push(block);
			if (!isThought(block)) this.thinksOnly = false;
			if (block.type !== "tool_call") continue;
			this.calls = true;
			calls.enter(block, this);
		}
	}

	message(): Message {
		const { first, blocks } = this;
		return blocks.length === first.blocks.length ? first : inPlaceOf({ ...first, blocks }, first);
	}
}

const isThought = (block: Block): boolean => block.type === "thinking" || block.type === "opaque_thinking";

/** The calls of one id, in their order: results come to them in that order. */
interface SameId {
	readonly calls: Paired[];
	answered: number;
}

/** The calls of a conversation, found by id. */
class Calls {
	/** By the id the client gave; several when it gave one id several times. */
	private readonly byClientId = new Map<string, SameId>();
	private readonly byId = new Map<string, Paired>();
	private readonly ids = new DistinctNames();

	/** The call under an id that no other has. */
	add(block: ToolCallBlock): ToolCallBlock {
		const id = this.ids.take(block.id);
		const call = id === block.id ? block : inPlaceOf({ ...block, id }, block);
		const paired: Paired = { call, result: undefined };
		this.byId.set(id, paired);
		const same = this.byClientId.get(block.id);
		if (same) same.calls.push(paired);
		else this.byClientId.set(block.id, { calls: [paired], answered: 0 });
		return call;
	}

	/** Takes the result for the earliest call that waits for it, else in place of the last result; false without a call. */
	answer(block: ToolResultBlock, losses: Losses): boolean {
		const same = this.byClientId.get(block.callId);
		const paired = same?.calls[same.answered] ?? same?.calls.at(-1);
		if (!same || !paired) return false;
		same.answered = Math.min(same.answered + 1, same.calls.length);
		const { call, result } = paired;
		if (result && !isDeepStrictEqual(result.content, block.content))
			losses.node(result, "a later result of the same tool call stands in its place");
		const named = { ...block, callId: call.id, name: block.name ?? call.name, kind: block.kind ?? call.kind };
		paired.result = inPlaceOf(named, block);
		if (paired.turn) paired.turn.isAnswered = true;
		return true;
	}

	/** A call is a part of a turn from now on. */
	enter({ id }: ToolCallBlock, turn: Turn): void {
		const paired = this.byId.get(id);
		if (!paired) return;
		paired.turn = turn;
		if (paired.result) turn.isAnswered = true;
	}

	/** The message with the results of a turn's calls; none when it has no calls. */
	resultsOf(turn: Turn): readonly Message[] {
		const blocks = turn.blocks.flatMap((block) => {
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
