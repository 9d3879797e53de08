/** Images, sounds, documents and films: `data:` addresses to bytes and back, and the words for their formats. */
import { invalidValue, lookup, type Media, readDataUrl } from "#core";

/** Media at an address. `data:` becomes bytes; only addresses that providers fetch themselves are taken. */
export const mediaAt = (url: string, parameter: string): Media => {
	const held = readDataUrl(url, parameter);
	if (held) return { by: "bytes", ...held };
	if (/^(?:https?|gs|s3):\/\//i.test(url)) return { by: "url", url };
	throw invalidValue(parameter, `The field \`${parameter}\` must be an http, https or data address.`);
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
	docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	doc: "application/msword",
	xls: "application/vnd.ms-excel",
	ppt: "application/vnd.ms-powerpoint",
	odt: "application/vnd.oasis.opendocument.text",
	rtf: "application/rtf",
});

/** Programs, settings and the like, which are read as the text they are. */
const plainTexts: ReadonlySet<string> = new Set(
	"c cc cpp cs css go h ini java js jsx kt log lua php py rb rs rst sh sql swift tex toml ts tsx yaml yml".split(" "),
);

/** The media type a file's name tells; a PDF unless it tells otherwise. */
export const documentMime = (filename = ""): string => {
	const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
	return documentTypes[extension] ?? (plainTexts.has(extension) ? "text/plain" : "application/pdf");
};

/** A name for a document, for providers that want one: they tell its type by the ending, which titles do not have. */
export const documentName = (mime: string | undefined, title = "document"): string => {
	if (/\.[a-z]\w{1,4}$/i.test(title)) return title;
	const extension = Object.entries(documentTypes).find(([, type]) => type === mime)?.[0] ?? "pdf";
	return `${title}.${extension}`;
};
