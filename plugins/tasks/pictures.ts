/** A picture that a client sent, in whatever way it did: a file of a form, an address, base64 with or without its label. */
import { asRecord, asText, dataUrlHead, Fault, invalidParameter, leadsIntoAccount, pictureType } from "#core";

/** Some clients send every file as `application/octet-stream`, so its bytes have the first word. */
const typeOf = (base64: string, declared: string): string | undefined =>
	pictureType(base64) ?? /^image\/[\w.+-]+/i.exec(declared)?.[0].toLowerCase();

const inAccount = (parameter: string): Fault =>
	invalidParameter(
		parameter,
		"The picture's address leads into a provider's own file store, which others use too; send it as data.",
	);

const labelled = (base64: string, declared: string, parameter: string): string => {
	if (!/\S/.test(base64)) throw invalidParameter(parameter, "The picture is empty.");
	const type = typeOf(base64, declared);
	if (type === undefined) throw invalidParameter(parameter, "That is no picture; send a PNG, JPEG or WebP.");
	return `data:${type};base64,${base64}`;
};

const asSent = (value: unknown, parameter: string): string => {
	const { image_url: imageUrl, url, file_id: fileId } = asRecord(value);
	const given = asText(value) ?? asText(imageUrl) ?? asText(url);
	if (given !== undefined) return given;
	if (fileId === undefined) throw invalidParameter(parameter, "Send the picture as a file, an address or base64.");
	throw new Fault({
		kind: "unsupported",
		parameter,
		message: "There is no file store here, so no `file_id`; send the picture as a file, an address or base64.",
	});
};

/** Enough to tell base64 from a file's name or other text, without reading megabytes twice. */
const lookedAt = 1000;

/** A picture as an address or as a `data:` URL in base64; undefined when there is none. Throws `Fault`. */
export const pictureOf = async (value: unknown, parameter: string): Promise<string | undefined> => {
	if (value === undefined || value === null || value === "") return undefined;
	if (value instanceof Blob)
		return labelled(Buffer.from(await value.arrayBuffer()).toString("base64"), value.type, parameter);
	const given = asSent(value, parameter);
	if (/^https?:/i.test(given)) {
		if (!URL.canParse(given)) throw invalidParameter(parameter, "The picture's address cannot be read.");
		if (leadsIntoAccount(given)) throw inAccount(parameter);
		return given;
	}
	const data = pictureData(given);
	if (data) return labelled(data.base64, data.mediaType, parameter);
	if (!/^[\w+/=\s-]*$/.test(given.slice(0, lookedAt)))
		throw invalidParameter(
			parameter,
			"The picture is neither an http(s) address nor base64. To send it as a file, give its part of the form a `filename`.",
		);
	return labelled(given, "image/png", parameter);
};

/** The bytes of a picture in base64, and their type. */
export interface PictureData {
	readonly mediaType: string;
	readonly base64: string;
}

/** What a `data:` URL holds; undefined for an address. */
export const pictureData = (picture: string): PictureData | undefined => {
	const label = dataUrlHead(picture.slice(0, lookedAt));
	return label?.isBase64 ? { mediaType: label.mime || "image/png", base64: picture.slice(label.end) } : undefined;
};
