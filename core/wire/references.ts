/**
 * Finds what a request names instead of sending it: files, containers, answers that are kept in an upstream's account. That
 * account serves all tokens, so an id in it is nobody's own.
 */
import { type Denial, deny } from "../contract/fault.ts";
import { isRecord } from "../neutral/json.ts";
import { isInnerHost } from "./public-addresses.ts";

export interface ReferenceFields {
	/** Fields whose value, or each of whose values, is such an id. */
	readonly ids: ReadonlySet<string>;
	/** Fields whose value is an address that the upstream reads, which may be one of its own. */
	readonly addresses: ReadonlySet<string>;
	/** Whether such an address leads into the upstream's account; `field` is the one that it stands in. */
	readonly leads: (address: string, field: string) => boolean;
	/** Fields that hold what is the client's or the model's own, whatever is in it: arguments, schemas. */
	readonly opaque: ReadonlySet<string>;
}

/** Where a reference stands, and the field; `instead`: what to do, where it is not to send the content itself. */
export interface FoundReference {
	readonly at: string;
	readonly field: string;
	readonly instead?: string;
}

const sendContent = "Send the content itself, as data or as a public address.";

const scheme = /^[a-z][a-z0-9+.-]*:/i;
const filesPath = /^\/v\d\w*\/(?:projects\/|files\/|cachedContents\/)/i;

/** As readers of addresses take it: they pass over blanks of every kind before it, and over tabs and ends of lines within. */
const addressAsRead = (address: string): string =>
	address.startsWith("data:") ? address : address.replace(/^[\0- \x85\s]+/, "").replace(/[\t\r\n]+/g, "");

/** Begins as addresses do, to a reader. Content in base64, however long, is told from one at once. */
const begins = /^[\0- \x85\s]*[a-z][a-z0-9+.\t\r\n-]*:/i;

/** A story may begin with `File: `; the address of a file has one slash, or none, where it is this machine's. */
const addresses = /^(?:https?:|(?:file|ftp):\S|[a-z][a-z\d+.-]*:\/\/)/i;

/** Whether a text is an address, however much of it readers pass over. */
export const isAddress = (text: string): boolean => begins.test(text) && addresses.test(addressAsRead(text));

/** What has no scheme and is called like a file: SGLang opens it on its own disk. */
const isPath = (address: string): boolean =>
	!scheme.test(address) && /\.(png|jpe?g|webp|gif|mp4|mov|avi|mkv|webm|wav|mp3|pdf)\s*$/i.test(address.slice(-16));

/** Whether an address leads into an account rather than to what anybody may read: `gs://…`, `file-id://…`, a provider's file store. */
export const leadsIntoAccount = (named: string): boolean => {
	const address = addressAsRead(named);
	const kind = scheme.exec(address)?.[0].toLowerCase();
	if (kind === undefined || kind === "data:") return false;
	if (kind !== "https:" && kind !== "http:") return true;
	if (!URL.canParse(address)) return false;
	const { hostname, pathname } = new URL(address);
	return /(?:^|\.)googleapis\.com\.?$/.test(hostname) || filesPath.test(pathname.replace(/^\/+/, "/"));
};

/**
 * Whether an address reaches what is not public: what is kept in an account, or something in the network or on the disk of a
 * server of models that an operator runs. Such a server reads whatever address it is given.
 */
export const leadsInside = (named: string): boolean => {
	const address = addressAsRead(named);
	if (leadsIntoAccount(address) || isPath(address)) return true;
	if (!/^https?:/i.test(address) || !URL.canParse(address)) return false;
	return isInnerHost(new URL(address).hostname);
};

/**
 * The same of a server that a tool is at. What is no address of the web is the name of one that the upstream has itself, as
 * LiteLLM's `litellm_proxy` is.
 */
export const leadsToOwnServer = (named: string): boolean =>
	!/^https?:/i.test(addressAsRead(named)) || leadsInside(named);

const isId = (value: unknown): boolean =>
	typeof value === "string" ? value !== "" : Array.isArray(value) && value.some(isId);

/** Servers in Go take `URL` for the `url` that they know, and of several the last; letters that only look otherwise too (`ſ`). */
export const isSpelledOtherwise = (field: string): boolean => /[A-Z\u017f\u212a]/.test(field);

/** The field that such servers take it for. */
export const usualSpelling = (field: string): string =>
	isSpelledOtherwise(field) ? field.normalize("NFKC").toLowerCase() : field;

/** Whether the field itself is one; what is in it is looked through apart from this. */
const isReference = (named: string, value: unknown, { ids, addresses, leads }: ReferenceFields): boolean => {
	if (typeof value !== "string" && !Array.isArray(value)) return false;
	const field = ids.has(named) || addresses.has(named) ? named : usualSpelling(named);
	return (ids.has(field) && isId(value)) || (typeof value === "string" && addresses.has(field) && leads(value, field));
};

const inList = (list: readonly unknown[], fields: ReferenceFields, at: string): FoundReference | undefined => {
	for (const [index, each] of list.entries()) {
		const found = findReference(each, fields, `${at}[${index}]`);
		if (found) return found;
	}
	return undefined;
};

const placeOf = (at: string, field: string): string => (at === "" ? field : `${at}.${field}`);

/** The first reference in a value; `at` is the value's own place, empty for a whole body. */
export const findReference = (value: unknown, fields: ReferenceFields, at: string): FoundReference | undefined => {
	if (Array.isArray(value)) return inList(value, fields, at);
	if (!isRecord(value)) return undefined;
	for (const [field, inner] of Object.entries(value)) {
		if (isReference(field, inner, fields)) return { at: placeOf(at, field), field };
		if (typeof inner !== "object" || fields.opaque.has(field)) continue;
		const found = findReference(inner, fields, placeOf(at, field));
		if (found) return found;
	}
	return undefined;
};

/** The refusal of a request that holds this reference. */
export const referenceDenial = ({ at, field, instead = sendContent }: FoundReference): Denial =>
	deny(
		"unsupported",
		`${at}: what \`${field}\` names is not known here as your own, and the upstream's account serves others too. ${instead}`,
		{ code: "unknown_reference", parameter: at },
	);

/** The refusal of a voice that was made for an account, which is asked for by its id; those that all may have go by names. */
export const voiceDenial = (voice: unknown, at: string): Denial | undefined =>
	isRecord(voice) ? referenceDenial({ at, field: "id", instead: "Ask for a voice by its name." }) : undefined;
