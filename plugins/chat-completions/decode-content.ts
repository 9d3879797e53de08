/** The parts of a message's content as blocks: OpenAI's, and those that vendors added. */
import {
	asRecord,
	asText,
	type Block,
	cleanBase64,
	definedOnly,
	Fault,
	isRecord,
	lookup,
	type Media,
	type NeutralNode,
	placed,
	type WireRecord,
} from "#core";
import { lifetimeOf } from "./cache-marks.ts";
import { audioMime, documentMime, mediaAt } from "./media.ts";
import { protocolName } from "./name.ts";
import { googleSignature, reasoningPartText, thinkingPartText } from "./reasoning.ts";

/** Where a part stands, for messages about it, and the family that values without an origin are bound to. */
export interface PartPlace {
	/** `messages[2].content[0]`. */
	readonly at: string;
	readonly family: string;
}

const missing = (parameter: string, expected: string): Fault =>
	new Fault({
		kind: "invalid_request",
		code: "invalid_value",
		parameter,
		message: `The field \`${parameter}\` is missing or of the wrong type; it must be ${expected}.`,
	});

/** The mark of a cache prefix in OpenAI's or Anthropic's words, and what else only this protocol understands. */
const nodeOf = (part: WireRecord): NeutralNode => {
	const { prompt_cache_breakpoint: breakpoint, cache_control: control } = part;
	if (!isRecord(breakpoint) && !isRecord(control)) return {};
	return {
		cache: definedOnly({ lifetime: lifetimeOf(isRecord(control) ? control : asRecord(breakpoint)) }),
		extras: { [protocolName]: definedOnly({ prompt_cache_breakpoint: breakpoint, cache_control: control }) },
	};
};

/** An address given as a string or as `{ url }`. */
const addressIn = (part: WireRecord, field: string, at: string): string => {
	const given = part[field];
	const url = asText(given) ?? asText(asRecord(given)["url"]);
	if (url === undefined) throw missing(`${at}.${field}`, "an object with a `url`");
	return url;
};

const image = (part: WireRecord, { at }: PartPlace): Block => ({
	type: "image",
	media: mediaAt(addressIn(part, "image_url", at), `${at}.image_url.url`),
	...nodeOf(part),
	...definedOnly({ detail: asText(asRecord(part["image_url"])["detail"]), signature: googleSignature(part) }),
});

const audio = (part: WireRecord, { at }: PartPlace): Block => {
	const given = asRecord(part["input_audio"]);
	const data = asText(given["data"]) ?? asText(part["input_audio"]);
	if (data === undefined) throw missing(`${at}.input_audio.data`, "base64 data");
	const parameter = `${at}.input_audio.data`;
	const media: Media = /^(?:data|https?|gs|s3):/i.test(data)
		? mediaAt(data, parameter)
		: { by: "bytes", base64: cleanBase64(data, parameter), mime: audioMime(asText(given["format"]) ?? "wav") };
	return { type: "audio", media, ...nodeOf(part) };
};

/** A file by what it is: pictures, sounds and films are not documents. */
const fileBlock = (media: Media, node: NeutralNode, filename?: string): Block => {
	const mime = media.mime ?? "";
	if (mime.startsWith("image/")) return { type: "image", media, ...node };
	if (mime.startsWith("audio/")) return { type: "audio", media, ...node };
	if (mime.startsWith("video/")) return { type: "video", media, ...node };
	return { type: "document", media, ...node, ...definedOnly({ filename }) };
};

const file = (part: WireRecord, { at, family }: PartPlace): Block => {
	const given = asRecord(part["file"]);
	const filename = asText(given["filename"]);
	const id = asText(given["file_id"]);
	if (id !== undefined)
		return fileBlock({ by: "file", id, origin: { protocol: protocolName, family } }, nodeOf(part), filename);
	const data = asText(given["file_data"]);
	const parameter = `${at}.file.file_data`;
	if (data === undefined) throw missing(parameter, "a data: address, or `file_id` must be given");
	const media: Media = /^(?:data|https?|gs|s3):/i.test(data)
		? mediaAt(data, parameter)
		: { by: "bytes", base64: cleanBase64(data, parameter), mime: documentMime(filename) };
	return fileBlock(media, nodeOf(part), filename);
};

/** An address, or bare base64 where a vendor takes that in its place: it says nothing of what it is. */
const linked = (part: WireRecord, field: string, { at }: PartPlace, mime: string): Media => {
	const given = addressIn(part, field, at);
	const parameter = `${at}.${field}`;
	if (given.includes(":")) return mediaAt(given, parameter);
	return { by: "bytes", base64: cleanBase64(given, parameter), mime };
};

/** A file by its address; Perplexity has its name beside it. */
const linkedFile = (part: WireRecord, field: string, place: PartPlace): Block => {
	const name = asText(part["file_name"]);
	return fileBlock(linked(part, field, place, documentMime(name)), nodeOf(part), name);
};

const readers = lookup<(part: WireRecord, place: PartPlace) => Block>({
	image_url: image,
	input_audio: audio,
	file,
	audio_url: (part, place) => ({
		type: "audio",
		media: linked(part, "audio_url", place, "audio/wav"),
		...nodeOf(part),
	}),
	video_url: (part, place) => ({
		type: "video",
		media: linked(part, "video_url", place, "video/mp4"),
		...nodeOf(part),
	}),
	document_url: (part, place) => linkedFile(part, "document_url", place),
	file_url: (part, place) => linkedFile(part, "file_url", place),
	thinking: (part) => ({ type: "thinking", text: thinkingPartText(part), form: "full" }),
	reasoning: (part) => ({ type: "thinking", text: reasoningPartText(part), form: "summary" }),
	refusal: (part) => ({ type: "refusal", text: asText(part["refusal"]) ?? "" }),
});

/** One part as a block; undefined for a text that is absent. What is not known is kept for an upstream of this protocol. */
const decodePart = (value: unknown, place: PartPlace): Block | undefined => {
	if (typeof value === "string") return { type: "text", text: value };
	const part = asRecord(value);
	const type = asText(part["type"]) ?? "text";
	const reader = readers[type];
	if (reader !== undefined) return reader(part, place);
	const text = asText(part["text"]);
	if (text !== undefined) return { type: "text", text, ...nodeOf(part) };
	if (type === "text") return undefined;
	return { type: "unknown", origin: { protocol: protocolName, family: place.family }, raw: value };
};

/** The content of a message, a string or a list of parts, as blocks. */
export const decodeContent = (content: unknown, place: PartPlace): Block[] => {
	if (typeof content === "string") return content === "" ? [] : [placed({ type: "text", text: content }, place.at)];
	if (!Array.isArray(content)) return [];
	return content.flatMap((part, index) => {
		const at = `${place.at}[${index}]`;
		const block = decodePart(part, { ...place, at });
		return block === undefined ? [] : [placed(block, at)];
	});
};
