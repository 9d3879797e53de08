/** Images, files and sounds between the wire and the neutral form. `data:` addresses are bytes on our side. */
import { asRecord, asText, definedOnly, type Media, type Origin, readDataUrl, type WireRecord } from "#core";
import { addressOf, audioMime, documentMime, documentName } from "../chat-completions/service.ts";

/** The bytes of a `data:` address; undefined for any other text. Throws `Fault` for one that cannot be read. */
const mediaOfDataUrl = (url: string, parameter: string): Media | undefined => {
	const held = readDataUrl(url, parameter);
	return held && { by: "bytes", ...held };
};

/** The media behind an address, whatever its scheme. */
const mediaOfUrl = (url: string, parameter: string): Media => mediaOfDataUrl(url, parameter) ?? { by: "url", url };

/** The image of an `input_image` part; the address may stand in an object, as other protocols have it. */
export const imageOf = (part: WireRecord, origin: Origin): Media | undefined => {
	const url = asText(part["image_url"]) ?? asText(asRecord(part["image_url"])["url"]);
	if (url !== undefined && url !== "") return mediaOfUrl(url, "image_url");
	const id = asText(part["file_id"]);
	return id === undefined ? undefined : { by: "file", id, origin };
};

/** The file of an `input_file` part: bytes as `data:` address or bare base64, an address, or an id. */
export const fileOf = (part: WireRecord, origin: Origin): Media | undefined => {
	const data = asText(part["file_data"]);
	if (data !== undefined && data !== "")
		return (
			mediaOfDataUrl(data, "file_data") ?? { by: "bytes", base64: data, mime: documentMime(asText(part["filename"])) }
		);
	const url = asText(part["file_url"]);
	if (url !== undefined && url !== "") return mediaOfUrl(url, "file_url");
	const id = asText(part["file_id"]);
	return id === undefined ? undefined : { by: "file", id, origin };
};

/** The sound of an `input_audio` part. */
export const audioOf = (part: WireRecord): Media | undefined => {
	const { data, format } = asRecord(part["input_audio"]);
	if (typeof data !== "string") return undefined;
	return (
		mediaOfDataUrl(data, "input_audio.data") ?? {
			by: "bytes",
			base64: data,
			mime: audioMime(asText(format) ?? "wav"),
		}
	);
};

/** The members of an `input_file` part for a document; undefined when this upstream cannot reach it. */
export const filePart = (media: Media, name: string | undefined, own: boolean): WireRecord | undefined => {
	if (media.by === "file") return own ? { type: "input_file", file_id: media.id } : undefined;
	if (media.by === "url") return { type: "input_file", file_url: media.url };
	return { type: "input_file", filename: documentName(media.mime, name ?? "file"), file_data: addressOf(media) };
};

/** The members of an `input_image` part; undefined when this upstream cannot reach it. */
export const imagePart = (media: Media, detail: string | undefined, own: boolean): WireRecord | undefined => {
	const known = detail !== undefined && /^(?:auto|low|high|original)$/.test(detail) ? detail : undefined;
	if (media.by === "file")
		return own ? { type: "input_image", ...definedOnly({ file_id: media.id, detail: known ?? "auto" }) } : undefined;
	return { type: "input_image", image_url: addressOf(media), detail: known ?? "auto" };
};
