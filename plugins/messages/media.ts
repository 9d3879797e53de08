/** Images and documents by their `source`. */
import { asList, asRecord, asText, isTextMime, type Media, type Origin, readDataUrl, type WireRecord } from "#core";
import { nativeFamily, originOf } from "./carried.ts";
import { protocolName } from "./name.ts";
import { refuse } from "./refuse.ts";

const fromUrl = (url: string, at: string): Media => {
	const held = readDataUrl(url, `${at}.source.url`);
	return held ? { by: "bytes", ...held } : { by: "url", url };
};

/** All text of a source that is itself a list of blocks. */
const textOf = (content: unknown): string =>
	asText(content) ??
	asList(content)
		.flatMap((part) => asText(asRecord(part)["text"]) ?? [])
		.join("\n");

/** The media a `source` stands for. Throws `Fault` for one that is none. `mime` is taken where the source tells none. */
export const decodeSource = (source: unknown, at: string, mime: string): Media => {
	const told = asRecord(source);
	const text = (name: string): string => {
		const value = told[name];
		if (typeof value === "string") return value;
		throw refuse(`${at}.source.${name}`, value, "it must be a string.");
	};
	switch (told["type"]) {
		case "base64":
			return { by: "bytes", base64: text("data"), mime: asText(told["media_type"]) ?? mime };
		case "url":
			return fromUrl(text("url"), at);
		case "file":
			return { by: "file", id: text("file_id"), origin: originOf(nativeFamily) };
		case "text":
			return { by: "text", text: text("data"), mime: asText(told["media_type"]) ?? "text/plain" };
		case "content":
			return { by: "text", text: textOf(told["content"]), mime: "text/plain" };
		default:
			throw refuse(`${at}.source.type`, told["type"], "it must be base64, url, file, text or content.");
	}
};

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** A source, or in words why there is none. */
export type EncodedSource = { readonly source: WireRecord } | { readonly refused: string };

const isHttp = (url: string): boolean => /^https?:\/\//i.test(url);

const fromFile = (id: string, origin: Origin): EncodedSource =>
	origin.protocol === protocolName
		? { source: { type: "file", file_id: id } }
		: { refused: "a file kept by another provider" };

/** The source of an image block. */
export const imageSource = (media: Media): EncodedSource => {
	switch (media.by) {
		case "bytes": {
			const mime = media.mime === "image/jpg" ? "image/jpeg" : media.mime;
			if (!imageTypes.has(mime)) return { refused: `an image of type ${media.mime}` };
			return { source: { type: "base64", media_type: mime, data: media.base64 } };
		}
		case "url":
			return isHttp(media.url)
				? { source: { type: "url", url: media.url } }
				: { refused: "an image whose address is not http" };
		case "file":
			return fromFile(media.id, media.origin);
		case "text":
			return { refused: "an image given as text" };
	}
};

const plain = (data: string): EncodedSource => ({ source: { type: "text", media_type: "text/plain", data } });

/** The source of a document block: PDF, or text. */
export const documentSource = (media: Media): EncodedSource => {
	switch (media.by) {
		case "bytes":
			if (media.mime === "application/pdf")
				return { source: { type: "base64", media_type: media.mime, data: media.base64 } };
			if (isTextMime(media.mime)) return plain(Buffer.from(media.base64, "base64").toString("utf8"));
			return { refused: `a document of type ${media.mime}` };
		case "url":
			return isHttp(media.url)
				? { source: { type: "url", url: media.url } }
				: { refused: "a document whose address is not http" };
		case "file":
			return fromFile(media.id, media.origin);
		case "text":
			return plain(media.text);
	}
};
