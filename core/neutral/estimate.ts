/**
 * How many tokens a request is, when nobody who knows has counted: for token-count routes without an upstream that
 * counts, and for usage that an upstream did not tell. No tokenizer: each provider has its own, and none is exact here.
 */
import type { Block, Media, Message } from "./content.ts";
import type { NeutralRequest, Tool } from "./request.ts";
import type { Usage } from "./response.ts";

/** Bytes of text in one token where nobody counts and the text is not read: few, so that an estimate is not too low. */
export const bytesPerToken = 4;

/** Tokens that a message costs beyond its text: role and separators. */
const perMessage = 4;
/** Tokens that a tool costs beyond its definition. */
const perTool = 8;
/** What tools as such add: the providers put instructions of their own before them. */
const forTools = 40;
/**
 * Tokens of a picture of ordinary size, of which providers charge from 85 to 1,600; and the most that any of them counts one as,
 * whatever its bytes, but for models whose description says so (`imageTokens`).
 */
export const pictureTokens = { usual: 800, most: 16_384 } as const;
/** Bytes of a PDF page, and the tokens it costs as text and picture. */
const pageBytes = 60_000;
const perPage = 1_500;
/** Seconds are not known from bytes without decoding: 16 kB is about a second of compressed sound and half of plain. */
const audioBytesPerToken = 500;
const videoBytesPerToken = 1_000;

/**
 * Tokens of some text: four ASCII characters each, two letters of other alphabets, one for each Chinese, Japanese or
 * Korean character or symbol.
 */
export const estimateTextTokens = (text: string): number => {
	let quarters = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		quarters += unit < 0x80 ? 1 : unit < 0x2e80 ? 2 : 4;
	}
	return Math.ceil(quarters / 4);
};

/** An estimate of the input tokens of `request`, within about a fifth for text; media are guessed from kind and size. */
export const estimateTokens = (request: NeutralRequest): number => {
	let tokens = 3;
	for (const message of request.messages) tokens += ofMessage(message);
	if (request.tools && request.tools.length > 0) tokens += forTools;
	for (const tool of request.tools ?? []) tokens += ofTool(tool);
	if (request.format?.type === "schema") tokens += ofJson(request.format.schema);
	return tokens;
};

/** The same of a request that came as so many bytes: fields that the neutral form does not know count by their bytes. */
export const estimateInput = (request: NeutralRequest, bytes: number): number => {
	let inline = 0;
	for (const message of request.messages) for (const block of message.blocks) inline += inlineBytes(block);
	return Math.max(estimateTokens(request), Math.ceil((bytes - inline) / bytesPerToken));
};

/** Bytes of media that are in the request itself. */
const inlineBytes = (block: Block): number => {
	if (block.type === "tool_result") return block.content.reduce((sum, inner) => sum + inlineBytes(inner), 0);
	return "media" in block && block.media.by === "bytes" ? block.media.base64.length : 0;
};

/** Usage when the upstream told none: the request estimated, the answer counted as `pieces` of content and their bytes. */
export const estimateUsage = (
	request: NeutralRequest,
	answer: { readonly pieces: number; readonly contentBytes: number },
): Usage => ({
	input: { total: estimateTokens(request) },
	output: { total: Math.max(answer.pieces, Math.ceil(answer.contentBytes / bytesPerToken)) },
	estimated: true,
});

const ofMessage = (message: Message): number => perMessage + sum(message.blocks);

const sum = (blocks: readonly Block[]): number => blocks.reduce((tokens, block) => tokens + ofBlock(block), 0);

const ofJson = (value: unknown): number => estimateTextTokens(JSON.stringify(value) ?? "");

const ofTool = (tool: Tool): number => {
	if (tool.type === "function")
		return perTool + estimateTextTokens(tool.name + (tool.description ?? "")) + ofJson(tool.schema);
	return perTool + ofJson(tool.type === "unknown" ? tool.raw : tool);
};

const ofBlock = (block: Block): number => {
	switch (block.type) {
		case "text":
		case "thinking":
		case "refusal":
			return estimateTextTokens(block.text);
		case "tool_call":
			return perTool + estimateTextTokens(block.name + block.arguments.text);
		case "tool_result":
			return perTool + (block.content.length > 0 ? sum(block.content) : ofJson(block.structured));
		case "search_result":
			return estimateTextTokens(block.title + block.source) + sum(block.content);
		case "server_call":
			return perTool + ofJson(block.arguments);
		case "server_result":
			return perTool + ofJson(block.result);
		case "opaque_thinking":
		case "unknown":
			return 0;
		default:
			return ofMedia(block.type, block.media);
	}
};

const ofMedia = (kind: "image" | "audio" | "document" | "video", media: Media): number => {
	if (media.by === "text") return estimateTextTokens(media.text);
	if (kind === "image") return pictureTokens.usual;
	const bytes = media.by === "bytes" ? media.base64.length * 0.75 : pageBytes;
	if (kind === "document") return Math.ceil(bytes / pageBytes) * perPage;
	return Math.ceil(bytes / (kind === "audio" ? audioBytesPerToken : videoBytesPerToken));
};
