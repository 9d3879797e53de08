/**
 * Pictures, sounds and files that a request of an endpoint names by an address within the upstream's own network. Servers of
 * models that an operator runs read whatever address they are given, here as in conversations.
 */
import { isRecord } from "../neutral/json.ts";
import { type FoundReference, isAddress, leadsInside } from "../wire/references.ts";

/** Vendors call such fields what they like: `image`, `image_url`, `input_images`, `ref_audio`. */
const mediaField = /(?:^|_)(?:image|audio|sound|video|film|document|file|pdf)s?(?:_ur[il]s?)?$/i;
const addressField = /^ur[il]$/i;

/** Words beside an address: it tells where they stand, and nobody reads it. */
const hasWords = (value: Readonly<Record<string, unknown>>): boolean =>
	typeof value["text"] === "string" || typeof value["content"] === "string";

/** The first of them; `texts` are the request's own words, whatever they say. */
export const namedInside = (
	value: unknown,
	texts: readonly string[],
	at = "",
	field = "",
): FoundReference | undefined => {
	if (typeof value === "string")
		return field !== "" && isAddress(value) && leadsInside(value) && !texts.includes(value) ? { at, field } : undefined;
	if (Array.isArray(value)) return inList(value, texts, at, field);
	return isRecord(value) ? inRecord(value, texts, at) : undefined;
};

/** A text in tokens is a list of millions of numbers. */
const inList = (
	list: readonly unknown[],
	texts: readonly string[],
	at: string,
	field: string,
): FoundReference | undefined => {
	for (let index = 0; index < list.length; index++) {
		const each = list[index];
		if (typeof each !== "object" && (field === "" || typeof each !== "string")) continue;
		const found = namedInside(each, texts, `${at}[${index}]`, field);
		if (found) return found;
	}
	return undefined;
};

const inRecord = (
	record: Readonly<Record<string, unknown>>,
	texts: readonly string[],
	at: string,
): FoundReference | undefined => {
	const worded = hasWords(record);
	for (const [name, inner] of Object.entries(record)) {
		const named = mediaField.test(name) || (addressField.test(name) && !worded);
		const found = namedInside(inner, texts, at === "" ? name : `${at}.${name}`, named ? name : "");
		if (found) return found;
	}
	return undefined;
};
