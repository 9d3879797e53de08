/** Media: which kind of block a MIME type makes, and how bytes and addresses stand in a part. */
import {
	type AudioBlock,
	asText,
	type DocumentBlock,
	definedOnly,
	type ImageBlock,
	lookup,
	type Media,
	type Origin,
	type VideoBlock,
	type WireRecord,
} from "#core";
import { field } from "./fields.ts";
import { protocolName } from "./name.ts";

export type MediaBlock = ImageBlock | AudioBlock | DocumentBlock | VideoBlock;

const byExtension = lookup<string>({
	png: "image/png",
	jpg: "image/jpeg",
	jpeg: "image/jpeg",
	gif: "image/gif",
	webp: "image/webp",
	heic: "image/heic",
	heif: "image/heif",
	mp3: "audio/mpeg",
	wav: "audio/wav",
	ogg: "audio/ogg",
	flac: "audio/flac",
	aac: "audio/aac",
	m4a: "audio/mp4",
	mp4: "video/mp4",
	webm: "video/webm",
	mov: "video/quicktime",
	mpeg: "video/mpeg",
	pdf: "application/pdf",
	txt: "text/plain",
	md: "text/markdown",
	html: "text/html",
	csv: "text/csv",
	json: "application/json",
});

const isYouTube = (url: string): boolean => /^https?:\/\/(?:[\w-]+\.)?(?:youtube\.com|youtu\.be)\//i.test(url);

/** The MIME type that an address lets guess. */
const mimeOfUrl = (url: string): string | undefined => {
	if (isYouTube(url)) return "video/mp4";
	const path = url.split(/[?#]/, 1)[0] ?? "";
	const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
	return extension === undefined ? undefined : byExtension[extension];
};

/** A block of the kind that the MIME type says; what is no image, sound or film is a document. */
const mediaBlock = (media: Media, mime: string | undefined): MediaBlock => {
	const kind = mime?.slice(0, mime.indexOf("/")).toLowerCase();
	switch (kind) {
		case "image":
		case "audio":
		case "video":
			return { type: kind, media };
		default:
			return { type: "document", media };
	}
};

/** Base64 as everyone reads it: Google's libraries also write the alphabet made for addresses, and leave out the padding. */
const standardBase64 = (text: string): string => {
	const plain = /[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
	const short = plain.length % 4;
	return short === 0 || short === 1 ? plain : plain + "=".repeat(4 - short);
};

/** The block with the name that its part has. */
const named = (block: MediaBlock, part: WireRecord): MediaBlock => {
	const filename = asText(field(part, "displayName"));
	return filename === undefined ? block : { ...block, filename };
};

/** `inlineData` as a block. */
export const decodeBlob = (blob: WireRecord): MediaBlock => {
	const mime = asText(field(blob, "mimeType"))?.replace(/^image\/jpg$/i, "image/jpeg") ?? "application/octet-stream";
	const base64 = standardBase64(asText(field(blob, "data")) ?? "");
	return named(mediaBlock({ by: "bytes", base64, mime }, mime), blob);
};

/** Files that only Google can read, by the beginning of their address. */
const googleFile = /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/i;

/** `fileData` as a block: a file of Google's own, or an address anyone may read. */
export const decodeFile = (file: WireRecord, origin: Origin): MediaBlock => {
	const uri = asText(field(file, "fileUri")) ?? "";
	const mime = asText(field(file, "mimeType")) ?? mimeOfUrl(uri);
	const typed = mime === undefined ? {} : { mime };
	const media: Media = googleFile.test(uri)
		? { by: "file", id: uri, origin, ...typed }
		: { by: "url", url: uri, ...typed };
	return named(mediaBlock(media, mime), file);
};

/**
 * A block's media as a part: `inlineData`, `fileData` or text; undefined for a file that Google does not have.
 * `native`: for a client of this protocol, whose own name for it goes back, for a result may refer to it. Not all of
 * Google's servers know one.
 */
export const encodeMedia = (block: MediaBlock, native: boolean): WireRecord | undefined => {
	const { media } = block;
	const name = native ? definedOnly({ displayName: block.filename }) : {};
	switch (media.by) {
		case "bytes":
			return { inlineData: { mimeType: media.mime, data: media.base64, ...name } };
		case "text":
			return media.text === "" ? undefined : { text: media.text };
		case "url": {
			const mimeType = media.mime ?? mimeOfUrl(media.url);
			return { fileData: { ...definedOnly({ mimeType }), fileUri: media.url, ...name } };
		}
		case "file": {
			if (media.origin.protocol !== protocolName) return undefined;
			return { fileData: { ...definedOnly({ mimeType: media.mime }), fileUri: media.id, ...name } };
		}
	}
};
