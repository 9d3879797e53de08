/** Blocks as the parts of an upstream's request. */
import {
	asRecord,
	type Block,
	flatName,
	holdsLargeInteger,
	isRecord,
	type Losses,
	parseShallow,
	runAsText,
	type SearchResultBlock,
	type ToolArguments,
	type ToolCallBlock,
	type ToolNames,
	type ToolResultBlock,
	type WireRecord,
	writtenValue,
} from "#core";
import { encodeMedia, type MediaBlock } from "./media.ts";
import { protocolName } from "./name.ts";
import { isOwn, ownExtras } from "./signatures.ts";

export interface PartContext {
	readonly family: string;
	readonly names: ToolNames;
	readonly losses: Losses;
	/** Whether media may stand within the result of a function. */
	readonly mediaInResults: boolean;
	/** The request came from a Gemini client: what it sent may go back as it was. */
	readonly native: boolean;
}

/** Arguments as the object that Gemini wants. */
export const argumentsObject = (given: ToolArguments): WireRecord => {
	if (given.form !== "json") return given.text.trim() === "" ? {} : { input: given.text };
	const value = writtenValue(given);
	return isRecord(value) ? value : { value };
};

const encodeCall = (block: ToolCallBlock, { names, family }: PartContext): WireRecord => ({
	functionCall: {
		id: block.id,
		name: names.upstream(flatName(block.name, block.namespace)),
		args: argumentsObject(block.arguments),
	},
	...(block.signature && isOwn(block.signature, family) && { thoughtSignature: block.signature.value }),
});

const isMedia = (block: Block): block is MediaBlock =>
	block.type === "image" || block.type === "audio" || block.type === "document" || block.type === "video";

const textsOf = (block: Block): readonly string[] => {
	if (block.type === "text" || block.type === "refusal") return [block.text];
	if (block.type === "search_result") return [searchText(block)];
	return isMedia(block) ? [...headOf(block), ...(block.media.by === "text" ? [block.media.text] : [])] : [];
};

const textOf = (blocks: readonly Block[]): string => blocks.flatMap(textsOf).join("\n");

/** What a document is called, and what is said of it. */
const headOf = (block: Block): readonly string[] =>
	block.type === "document"
		? [block.title ?? block.filename ?? "", block.context ?? ""].filter((text) => text !== "")
		: [];

const isSaid = (block: Block): boolean =>
	block.type === "text" || block.type === "refusal" || block.type === "search_result" || isMedia(block);

const searchText = (block: SearchResultBlock): string => `${block.title} (${block.source})\n${textOf(block.content)}`;

/**
 * A result as the object that Gemini wants: the client's own, or JSON that was written as text, or the text under a name.
 * Gemini reads all numbers as doubles, so that larger integers keep their digits in a text alone.
 */
const responseOf = (block: ToolResultBlock): WireRecord => {
	if (isRecord(block.structured)) return block.structured;
	const text = textOf(block.content);
	if (block.isError) return { error: text };
	const value = /^\s*\{/.test(text) && !holdsLargeInteger(text) ? parseShallow(text) : undefined;
	return isRecord(value) ? value : { output: text };
};

/** A result of a function: the part for it, and media that must follow in a content of their own. */
export const encodeResult = (
	block: ToolResultBlock,
	callName: string | undefined,
	context: PartContext,
): { readonly part: WireRecord; readonly after: readonly WireRecord[] } => {
	const inside: WireRecord[] = [];
	const after: WireRecord[] = [];
	for (const media of block.content.filter(isMedia).filter(({ media: { by } }) => by !== "text")) {
		const part = encodeMedia(media, context.native);
		if (!part) context.losses.node(media, "a file of another provider cannot be read here");
		else if (context.mediaInResults && (context.native || "inlineData" in part)) inside.push(part);
		else after.push(part);
	}
	for (const part of block.content)
		if (isSaid(part)) loseMembers(part, context);
		else context.losses.node(part, "Gemini's results hold text and media alone");
	const name = context.names.upstream(callName ?? block.name ?? "unknown");
	if (after.length > 0) after.unshift({ text: `Attached to the result of ${name}:` });
	return {
		part: {
			functionResponse: {
				...ownExtras(block.extras),
				id: block.callId,
				name,
				response: responseOf(block),
				...(inside.length > 0 && { parts: inside }),
			},
		},
		after,
	};
};

const documentHead = (block: Block): readonly WireRecord[] => {
	const head = headOf(block).join("\n");
	return head === "" ? [] : [{ text: head }];
};

/** What Gemini's parts have no member for. */
const loseMembers = (block: Block, { losses, native }: PartContext): void => {
	if (native) return;
	if (block.type === "image" && block.detail !== undefined && block.detail !== "auto")
		losses.node(block, "Gemini says otherwise how closely it is to look", "detail");
	if ((block.type === "document" || block.type === "search_result") && block.citationsEnabled === true)
		losses.node(block, "Gemini cites only what it has found itself", "citationsEnabled");
};

const encodeMediaBlock = (block: MediaBlock, context: PartContext): readonly WireRecord[] => {
	const part = encodeMedia(block, context.native);
	if (!part) {
		context.losses.node(block, "a file of another provider cannot be read here");
		return [];
	}
	const signature = block.type === "image" && block.signature;
	const signed = signature && isOwn(signature, context.family) ? { thoughtSignature: signature.value } : {};
	return [...(context.native ? [] : documentHead(block)), { ...part, ...ownExtras(block.extras), ...signed }];
};

/** What only its maker can use goes back to it as it came, and to nobody else. */
const encodeRaw = (block: Block, context: PartContext): readonly WireRecord[] => {
	const kept =
		block.type === "unknown"
			? { origin: block.origin, value: block.raw }
			: block.type === "server_call" || block.type === "server_result"
				? block.raw
				: undefined;
	if (kept?.origin.protocol === protocolName && kept.origin.family === context.family) return [asRecord(kept.value)];
	const text = block.type === "server_call" || block.type === "server_result" ? runAsText(block) : undefined;
	if (text !== undefined) return [{ text }];
	context.losses.node(block, "it belongs to another provider's model");
	return [];
};

/** The parts of a block that is no reasoning and no result; none when nothing of it can be said here. */
export const encodePart = (block: Block, context: PartContext): readonly WireRecord[] => {
	loseMembers(block, context);
	switch (block.type) {
		case "text": {
			const signed = block.signature && isOwn(block.signature, context.family);
			if (block.text === "" && !signed) return [];
			return [
				{ text: block.text, ...ownExtras(block.extras), ...(signed && { thoughtSignature: block.signature?.value }) },
			];
		}
		case "refusal":
			return block.text === "" ? [] : [{ text: block.text }];
		case "search_result":
			return [{ text: searchText(block) }];
		case "tool_call":
			return [encodeCall(block, context)];
		case "image":
		case "audio":
		case "document":
		case "video":
			return encodeMediaBlock(block, context);
		default:
			return encodeRaw(block, context);
	}
};
