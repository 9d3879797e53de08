/** Blocks as parts of a message's content, for an upstream. */
import {
	type AudioBlock,
	type Block,
	type DocumentBlock,
	definedOnly,
	type ImageBlock,
	isTextMime,
	type Media,
	type NeutralNode,
	type SearchResultBlock,
	type VideoBlock,
	type WireRecord,
} from "#core";
import { breakpointOf, cacheControl } from "../cache-marks.ts";
import { addressOf, audioFormat, documentName } from "../media.ts";
import { protocolName } from "../name.ts";
import { ownExtras, type Writing } from "./target.ts";

const textPart = (text: string): WireRecord => ({ type: "text", text });

/** Says to the model that something was here, so that the words around it still make sense. */
const gap = (what: string): WireRecord => textPart(`[${what} was here that cannot be shown to this model]`);

const lost = (writing: Writing, block: Block, what: string): WireRecord => {
	writing.losses.node(block, `the upstream takes no ${what} in this form`);
	return gap(`One ${what}`);
};

/** Marks of a cached prefix: the client's own words, OpenAI's for its models, or Anthropic's for Claude behind this protocol. */
export const marks = (node: NeutralNode, writing: Writing): WireRecord => {
	const { sameProtocol, openai, context } = writing;
	if (sameProtocol) return ownExtras(node);
	if (openai) return breakpointOf(node, writing);
	return node.cache === undefined || context.family !== "claude" ? {} : { cache_control: cacheControl(node.cache) };
};

/** Not every model that speaks this protocol takes a picture at its own size. */
const detailOf = (block: ImageBlock, { sameProtocol, losses }: Writing): string | undefined => {
	if (block.detail !== "original" || sameProtocol) return block.detail;
	losses.node(block, "the upstream may make it smaller", "detail");
	return "high";
};

const imagePart = (block: ImageBlock, writing: Writing): WireRecord => {
	const url = addressOf(block.media);
	if (url === undefined) return lost(writing, block, "image");
	return { type: "image_url", image_url: { url, ...definedOnly({ detail: detailOf(block, writing) }) } };
};

const audioPart = (block: AudioBlock, writing: Writing): WireRecord => {
	const { media } = block;
	// What servers such as vLLM take, and OpenAI does not.
	if (media.by === "url" && writing.sameProtocol) return { type: "audio_url", audio_url: { url: media.url } };
	const mime = media.mime ?? "";
	// Vendors beside OpenAI take more formats than its two.
	const format = audioFormat(mime) ?? (writing.openai ? undefined : mime.split("/")[1]);
	if (media.by !== "bytes" || format === undefined || format === "")
		return block.transcript === undefined ? lost(writing, block, "sound") : textPart(block.transcript);
	return { type: "input_audio", input_audio: { data: media.base64, format } };
};

const asText = (title: string | undefined, text: string): string =>
	title === undefined || title === "" ? text : `${title}\n\n${text}`;

/** OpenAI's files are known to both of its protocols. */
const isOpenaiFile = (media: Media): boolean =>
	media.by === "file" && (media.origin.protocol === protocolName || media.origin.protocol === "responses");

const documentPart = (block: DocumentBlock, writing: Writing): WireRecord => {
	const { media } = block;
	if (block.context !== undefined) writing.losses.node(block, "the upstream has no such field", "context");
	if (block.citationsEnabled === true)
		writing.losses.node(block, "the upstream cites no documents", "citationsEnabled");
	const title = block.title ?? block.filename;
	if (media.by === "text") return textPart(asText(title, media.text));
	if (media.by === "file")
		return isOpenaiFile(media) && (writing.openai || writing.sameProtocol)
			? { type: "file", file: { file_id: media.id } }
			: lost(writing, block, "document");
	if (media.by === "url") return linkedDocument(media.url, block, writing);
	if (isTextMime(media.mime)) return textPart(asText(title, Buffer.from(media.base64, "base64").toString("utf8")));
	// OpenAI takes no other file here, and refuses the whole request for one; its Responses API takes them.
	if (writing.openai && !writing.sameProtocol && media.mime !== "application/pdf")
		return lost(writing, block, `document of type ${media.mime}`);
	const filename = block.filename ?? documentName(media.mime, block.title);
	return { type: "file", file: { filename, file_data: addressOf(media) } };
};

/** OpenAI takes no address of a document here; some others do. */
const linkedDocument = (url: string, block: DocumentBlock, writing: Writing): WireRecord =>
	writing.sameProtocol || writing.context.capabilities.documentAddresses === true
		? { type: "document_url", document_url: url }
		: lost(writing, block, "document given by its address");

const videoPart = (block: VideoBlock, writing: Writing): WireRecord => {
	const url = addressOf(block.media);
	const taken = writing.sameProtocol || writing.context.capabilities.films === true;
	return url === undefined || !taken ? lost(writing, block, "film") : { type: "video_url", video_url: { url } };
};

const searchText = (block: SearchResultBlock): string => {
	const texts = block.content.flatMap((part) => (part.type === "text" ? part.text : []));
	return [block.title, block.source, ...texts].filter((text) => text !== "").join("\n");
};

/** One block as a part; undefined for what has no place in this message at all. */
export const encodePart = (block: Block, writing: Writing): WireRecord | undefined => {
	switch (block.type) {
		case "text":
			return block.text === "" ? undefined : { ...textPart(block.text), ...marks(block, writing) };
		case "image":
			return { ...imagePart(block, writing), ...marks(block, writing) };
		case "audio":
			return { ...audioPart(block, writing), ...marks(block, writing) };
		case "document":
			return { ...documentPart(block, writing), ...marks(block, writing) };
		case "video":
			return { ...videoPart(block, writing), ...marks(block, writing) };
		case "search_result":
			writing.losses.node(block, "a search result goes as plain text, which cannot be cited");
			return textPart(searchText(block));
		case "refusal":
			return textPart(block.text);
		case "unknown":
			if (block.origin.protocol === protocolName && typeof block.raw === "object" && block.raw !== null)
				return { ...block.raw };
			return lost(writing, block, "content of this kind");
		default:
			writing.losses.node(block, `the upstream has no place for ${block.type.replaceAll("_", " ")} here`);
			return undefined;
	}
};

/** True for a text and nothing beside it. */
export const isPlainText = (part: WireRecord): part is { readonly type: "text"; readonly text: string } =>
	part["type"] === "text" && Object.keys(part).length === 2;

/**
 * Parts as the value of `content`: a string if they are all text, because many vendors take no list of texts. OpenAI gets
 * one, and so does a vendor whose client sent one.
 */
export const contentOf = (parts: readonly WireRecord[], writing: Writing): string | readonly WireRecord[] => {
	const [only] = parts;
	if (parts.length === 1 && only !== undefined && isPlainText(only)) return only.text;
	if (writing.openai || writing.sameProtocol || !parts.every(isPlainText)) return parts;
	return parts.map(({ text }) => text).join("\n\n");
};
