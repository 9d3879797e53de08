/**
 * Pictures, sounds and files that a request of an endpoint names by an address within the upstream's own network. Servers of
 * models that an operator runs read whatever address they are given, here as in conversations.
 */
import { isRecord } from "../../neutral/json.ts";
import { type FoundReference, isAddress, leadsInside } from "../../wire/references.ts";

/** Vendors call such fields what they like: `image`, `image_url`, `input_images`, `ref_audio`. */
const mediaField = /(?:^|_)(?:image|audio|sound|video|film|document|file|pdf)s?(?:_ur[il]s?)?$/i;
const addressField = /^ur[il]$/i;

/** What is ranked is called so too where it is words. */
const wordsField = "documents";

/** Words beside an address: it tells where they stand, and nobody reads it. */
const hasWords = (value: Readonly<Record<string, unknown>>): boolean =>
	typeof value["text"] === "string" || typeof value["content"] === "string";

/** Whether a text is one of the request's own words. */
type IsWords = (text: string) => boolean;

/** The first of them; `texts` are the request's own words: documents among them may say whatever they like. */
export const namedInside = (value: unknown, texts: readonly string[]): FoundReference | undefined => {
	// As many documents may be addresses as there are texts.
	let words: ReadonlySet<string> | undefined;
	const isWords: IsWords = (text) => {
		words ??= new Set(texts);
		return words.has(text);
	};
	return inValue(value, isWords, "", "");
};

const inValue = (value: unknown, isWords: IsWords, at: string, field: string): FoundReference | undefined => {
	if (typeof value === "string") {
		if (field === "" || !isAddress(value) || !leadsInside(value)) return undefined;
		return field === wordsField && isWords(value) ? undefined : { at, field };
	}
	if (Array.isArray(value)) return inList(value, isWords, at, field);
	return isRecord(value) ? inRecord(value, isWords, at, field) : undefined;
};

/** A text in tokens is a list of millions of numbers. */
const inList = (list: readonly unknown[], isWords: IsWords, at: string, field: string): FoundReference | undefined => {
	for (let index = 0; index < list.length; index++) {
		const each = list[index];
		if (typeof each !== "object" && (field === "" || typeof each !== "string")) continue;
		const found = inValue(each, isWords, `${at}[${index}]`, field);
		if (found) return found;
	}
	return undefined;
};

const inRecord = (
	record: Readonly<Record<string, unknown>>,
	isWords: IsWords,
	at: string,
	field: string,
): FoundReference | undefined => {
	const worded = (field === "" || field === wordsField) && hasWords(record);
	for (const [name, inner] of Object.entries(record)) {
		const named = mediaField.test(name) || (addressField.test(name) && !worded);
		const found = inValue(inner, isWords, at === "" ? name : `${at}.${name}`, named ? name : "");
		if (found) return found;
	}
	return undefined;
};
