/** What users say and what tools gave, as parts of an upstream's input. */
import {
	type Block,
	type DocumentBlock,
	isRecord,
	type Media,
	type SearchResultBlock,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { breakpointOf } from "../../chat-completions/service.ts";
import { filePart, imagePart } from "../media.ts";
import { protocolName } from "../name.ts";
import { isOwn, ownFields } from "../origin.ts";
import type { Writing } from "./writing.ts";

const textPart = (text: string): WireRecord => ({ type: "input_text", text });

const searchResultText = ({ title, source, content }: SearchResultBlock): string =>
	[title, source, ...content.flatMap((block) => (block.type === "text" ? block.text : []))].join("\n");

const isOwnFile = (media: Media, { context }: Writing): boolean =>
	media.by === "file" && media.origin.protocol === protocolName && isOwn(media.origin, context.family);

const leftOut = (block: Block, what: string, { losses }: Writing): WireRecord => textPart(losses.leaveOut(block, what));

const documentPart = (block: DocumentBlock, writing: Writing): WireRecord => {
	const { losses } = writing;
	if (block.context !== undefined) losses.node(block, "the upstream has no such field", "context");
	if (block.citationsEnabled === true) losses.node(block, "the upstream cites no documents", "citationsEnabled");
	const part = filePart(block.media, block.filename ?? block.title, isOwnFile(block.media, writing));
	return part ? { ...part, ...ownFields(block) } : leftOut(block, "a file kept by another provider", writing);
};

/** The part for a block; undefined for what this protocol has no part for. */
const partOf = (block: Block, writing: Writing): WireRecord | undefined => {
	switch (block.type) {
		case "text":
		case "refusal":
			return block.text === "" ? undefined : textPart(block.text);
		case "image": {
			const part = imagePart(block.media, block.detail, isOwnFile(block.media, writing));
			return part ?? leftOut(block, "an image kept by another provider", writing);
		}
		case "document":
			return documentPart(block, writing);
		case "audio":
			if (!block.transcript) return leftOut(block, "sound", writing);
			writing.losses.node(block, "the upstream takes no sound; it is told the transcript");
			return textPart(block.transcript);
		case "video":
			return leftOut(block, "a film", writing);
		case "search_result":
			if (block.citationsEnabled === true)
				writing.losses.node(block, "the upstream cites only what it has found itself", "citationsEnabled");
			return textPart(searchResultText(block));
		case "unknown":
			if (isOwn(block.origin, writing.context.family) && isRecord(block.raw)) return block.raw;
			return leftOut(block, "content of a kind that only its own maker knows", writing);
		default:
			writing.losses.node(block, "the upstream has no place for it here");
			return undefined;
	}
};

const partsOf = (blocks: readonly Block[], writing: Writing): readonly WireRecord[] =>
	blocks.flatMap((block) => {
		const part = partOf(block, writing);
		return part === undefined ? [] : [{ ...part, ...breakpointOf(block, writing) }];
	});

/** A content: a string where it is one text, else a list of parts. */
export const contentOf = (blocks: readonly Block[], writing: Writing): string | readonly WireRecord[] | undefined => {
	const parts = partsOf(blocks, writing);
	const [only] = parts;
	if (only === undefined) return undefined;
	if (parts.length === 1 && only["type"] === "input_text" && only["prompt_cache_breakpoint"] === undefined)
		return String(only["text"]);
	return parts;
};

/** What a tool gave. That it failed has no place here but the text itself. */
export const outputOf = (block: ToolResultBlock, writing: Writing): string | readonly WireRecord[] => {
	const content = contentOf(block.content, writing);
	if (content !== undefined) return content;
	return block.structured === undefined ? "" : JSON.stringify(block.structured);
};

/** Fields of a text that only this protocol writes. */
export const phaseOf = (block: Block): WireRecord => {
	const { phase } = ownFields(block);
	return phase === undefined ? {} : { phase };
};
