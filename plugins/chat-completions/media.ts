/** Images, sounds, documents and films: `data:` addresses to bytes and back, and the words for their formats. */
import { Fault, lookup, type Media } from "#core";

const invalid = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", code: "invalid_value", parameter, message });

const base64Alphabet = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Base64 in the usual alphabet, without the line breaks some encoders add. Throws `Fault` for what is not base64. */
export const cleanBase64 = (text: string, parameter: string): string => {
	const plain = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
	if (plain === "" || !base64Alphabet.test(plain))
		throw invalid(parameter, `The field \`${parameter}\` does not hold valid base64 data.`);
	return /[-_]/.test(plain) ? plain.replaceAll("-", "+").replaceAll("_", "/") : plain;
};

const fromDataUrl = (url: string, parameter: string): Media => {
	const comma = url.indexOf(",");
	if (comma === -1) throw invalid(parameter, `The field \`${parameter}\` is a data: address without data.`);
	const [mime = "", ...words] = url.slice("data:".length, comma).split(";");
	const data = url.slice(comma + 1);
	const type = mime.trim().toLowerCase() || "text/plain";
	if (words.some((word) => word.trim().toLowerCase() === "base64"))
		return { by: "bytes", mime: type, base64: cleanBase64(data, parameter) };
	try {
		return { by: "bytes", mime: type, base64: Buffer.from(decodeURIComponent(data), "utf8").toString("base64") };
	} catch {
		throw invalid(parameter, `The field \`${parameter}\` is a data: address whose data cannot be read.`);
	}
};

/** Media at an address. `data:` becomes bytes; only addresses that providers fetch themselves are taken. */
export const mediaAt = (url: string, parameter: string): Media => {
	if (/^data:/i.test(url)) return fromDataUrl(url, parameter);
	if (/^(?:https?|gs|s3):\/\//i.test(url)) return { by: "url", url };
	throw invalid(parameter, `The field \`${parameter}\` must be an http, https or data address.`);
};

/** The address of media: its own, or a `data:` address of its bytes. Undefined for a file that only its provider knows. */
export const addressOf = (media: Media): string | undefined => {
	switch (media.by) {
		case "url":
			return media.url;
		case "bytes":
			return `data:${media.mime};base64,${media.base64}`;
		case "text":
			return `data:${media.mime};base64,${Buffer.from(media.text, "utf8").toString("base64")}`;
		case "file":
			return undefined;
	}
};

const audioTypes = lookup<string>({
	wav: "audio/wav",
	mp3: "audio/mpeg",
	mpeg: "audio/mpeg",
	ogg: "audio/ogg",
	opus: "audio/opus",
	flac: "audio/flac",
	aac: "audio/aac",
	m4a: "audio/mp4",
	webm: "audio/webm",
	pcm16: "audio/pcm",
});

/** The media type for an `input_audio.format` or `audio.format`. */
export const audioMime = (format: string): string => audioTypes[format.toLowerCase()] ?? `audio/${format}`;

/** The `input_audio.format` for a media type; undefined for what Chat Completions does not take. */
export const audioFormat = (mime: string): "wav" | "mp3" | undefined => {
	const type = mime.toLowerCase().split(";")[0];
	if (type === "audio/mpeg" || type === "audio/mp3") return "mp3";
	return type === "audio/wav" || type === "audio/x-wav" || type === "audio/wave" || type === "audio/vnd.wave"
		? "wav"
		: undefined;
};

const documentTypes = lookup<string>({
	pdf: "application/pdf",
	txt: "text/plain",
	md: "text/markdown",
	csv: "text/csv",
	html: "text/html",
	json: "application/json",
	xml: "application/xml",
});

const extensionOf = (filename: string): string => filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();

/** The media type a file's name tells; a PDF unless it tells otherwise. */
export const documentMime = (filename: string | undefined): string =>
	(filename === undefined ? undefined : documentTypes[extensionOf(filename)]) ?? "application/pdf";

/** A name for a document that has none, for providers that want one. */
export const documentName = (mime: string | undefined): string => {
	const extension = Object.entries(documentTypes).find(([, type]) => type === mime)?.[0] ?? "pdf";
	return `document.${extension}`;
};
