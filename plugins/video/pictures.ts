/** A picture to begin a clip with, however it was sent: an address, base64 with or without its label, or a file of a form. */
import { asRecord, asText, Fault } from "#core";

/** An address or a `data:` URL; undefined when there is none. Throws `Fault`. */
export const pictureOf = async (value: unknown): Promise<string | undefined> => {
	if (value === undefined || value === null || value === "") return undefined;
	if (value instanceof Blob) {
		const bytes = Buffer.from(await value.arrayBuffer());
		return `data:${value.type || "image/png"};base64,${bytes.toString("base64")}`;
	}
	const given = asText(value) ?? asText(asRecord(value).image_url) ?? asText(asRecord(value).url);
	if (given === undefined)
		throw new Fault({
			kind: "invalid_request",
			parameter: "input_reference",
			message: "Send the picture as a file, an address or base64.",
		});
	return /^(?:https?:|data:)/.test(given) ? given : `data:image/png;base64,${given}`;
};

/** The bytes of a `data:` URL in base64, and their type; undefined for an address. */
export const dataOf = (picture: string): { readonly mediaType: string; readonly base64: string } | undefined => {
	const match = /^data:([^;,]+);base64,(.*)$/s.exec(picture);
	return match ? { mediaType: match[1] ?? "image/png", base64: match[2] ?? "" } : undefined;
};
