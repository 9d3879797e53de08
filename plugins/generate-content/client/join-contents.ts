/** Messages of a Gemini client's history put right: what it recorded in pieces is one, and thoughts stand before their step. */
import { type Block, inPlaceOf, type Message } from "#core";
import { geminiOrigin } from "../signatures.ts";

/** Thoughts of a stream that a client recorded chunk by chunk, brought together again over the contents they are spread over. */
export const joined = (messages: readonly Message[]): readonly Message[] => {
	const kept: Message[] = [];
	/** The blocks of the last one. */
	let open: Block[] = [];
	for (const message of messages) {
		if (kept.at(-1)?.role === "assistant" && message.role === "assistant") joinBlocks(open, message.blocks);
		else {
			open = [...message.blocks];
			kept.push(inPlaceOf({ ...message, blocks: open }, message));
		}
	}
	return kept;
};

const joinBlocks = (before: Block[], after: readonly Block[]): void => {
	const last = before.at(-1);
	const [first, ...rest] = after;
	let added = rest;
	if (last?.type === "thinking" && first?.type === "thinking" && !last.signature && !isGeminis(first))
		before.splice(-1, 1, inPlaceOf({ ...last, ...first, text: last.text + first.text }, last));
	else if (last?.type === "text" && first?.type === "text" && !last.signature && !first.signature)
		before.splice(-1, 1, inPlaceOf({ ...last, text: last.text + first.text }, last));
	else added = [...after];
	for (const block of added) before.push(block);
};

const isGeminis = (block: Block): boolean =>
	block.type === "thinking" && block.signature?.origin.protocol === geminiOrigin.protocol;

const sealOf = (block: Block): string | undefined => (block.type === "thinking" ? block.signature?.value : undefined);

const sealOfWhole = (block: Block): string | undefined =>
	block.type === "thinking" && block.text !== "" ? sealOf(block) : undefined;

/** Thoughts that were shown, and stood on the call after them; with how much other reasoning came between. */
export type OnCalls = Map<Block, number>;

/**
 * Puts each thought that stood on a call before what was said since the last one, because the model thought before it spoke,
 * and behind reasoning that came earlier. A thought that also came back by itself is left out; one that came back without its
 * seal, or as a seal without its text, is whole again.
 */
export const inSteps = (messages: readonly Message[], onCalls: OnCalls): readonly Message[] =>
	onCalls.size === 0 ? messages : messages.map((message) => inStep(message, onCalls));

const isReasoning = ({ type }: Block): boolean => type === "thinking" || type === "opaque_thinking";

/** Where a thought stood that so much of the reasoning came after; undefined where it was the first. */
const placeBefore = (later: number, reasoning: readonly number[]): number | undefined => {
	const last = reasoning.at(-1);
	if (later > 0) return reasoning.at(-later);
	return last === undefined ? undefined : last + 1;
};

/** Half of a thought: its text without its seal, or the seal alone, as clients keep it that drop thoughts (Agno). */
const isHalfOf = (block: Block, thought: Block): boolean =>
	block.type === "thinking" &&
	thought.type === "thinking" &&
	(block.signature ? block.text === "" && sealOf(block) === sealOf(thought) : block.text === thought.text);

/** Puts a thought at its place, or in that of the half of it that came back by itself. */
const putBack = (blocks: Block[], thought: Block, begin: number, place: number): void => {
	const same = blocks.findIndex((block, at) => at >= begin && isHalfOf(block, thought));
	blocks.splice(same === -1 ? place : same, same === -1 ? 0 : 1, thought);
};

const inStep = (message: Message, onCalls: OnCalls): Message => {
	if (!message.blocks.some((block) => onCalls.has(block))) return message;
	const shown = new Set(message.blocks.map((block) => (onCalls.has(block) ? undefined : sealOfWhole(block))));
	const blocks: Block[] = [];
	let begin = 0;
	/** Where reasoning of this step stands. */
	let reasoning: number[] = [];
	for (const block of message.blocks) {
		const later = onCalls.get(block);
		if (later === undefined) blocks.push(block);
		else if (!shown.has(sealOf(block))) putBack(blocks, block, begin, placeBefore(later, reasoning) ?? begin);
		if (block.type === "tool_call") [begin, reasoning] = [blocks.length, []];
		else if (later === undefined && isReasoning(block)) reasoning.push(blocks.length - 1);
	}
	return inPlaceOf({ ...message, blocks }, message);
};
