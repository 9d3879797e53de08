/** White space between texts, such as clients keep of a stream chunk by chunk: upstreams refuse a block of it alone. */
import { type Block, definedOnly, inPlaceOf, type TextBlock } from "#core";
import { protocolName } from "../name.ts";

/** A tool that a search found is told by a block of its own, not by the text. */
const isText = (block: Block | undefined): block is TextBlock =>
	block?.type === "text" && block.extras?.[protocolName]?.["tool_reference"] === undefined;

const isSpace = (block: Block): block is TextBlock => isText(block) && !/\S/.test(block.text);

const joined = (before: TextBlock, after: TextBlock, into: TextBlock): TextBlock => {
	const cache = definedOnly({ cache: after.cache ?? before.cache });
	return inPlaceOf({ ...into, text: before.text + after.text, ...cache }, into);
};

const withInner = (block: Block): Block =>
	block.type === "tool_result" ? inPlaceOf({ ...block, content: withSpacesJoined(block.content) }, block) : block;

const mayHaveSpace = (block: Block): boolean => isSpace(block) || block.type === "tool_result";

/** White space goes to the text before it, or at the start to the one after; at the end it says nothing. */
const joinSpaces = (blocks: readonly Block[]): readonly Block[] => {
	const kept: Block[] = [];
	let space: TextBlock | undefined;
	for (const block of blocks) {
		const last = kept.at(-1);
		if (isSpace(block)) space = space ? joined(space, block, space) : block;
		else {
			if (space === undefined || !isText(block)) kept.push(withInner(block));
			else if (isText(last)) kept.splice(-1, 1, joined(last, space, last), block);
			else kept.push(joined(space, block, block));
			space = undefined;
		}
	}
	return kept;
};

/** The blocks with white space joined to the text beside it; the same list where there is none. */
export const withSpacesJoined = (blocks: readonly Block[]): readonly Block[] =>
	blocks.some(mayHaveSpace) ? joinSpaces(blocks) : blocks;
