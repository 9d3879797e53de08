/**
 * Opaque values between Messages clients and models of other makers. A Messages client replays `signature` and `data`
 * unread, so a foreign value travels there; one that signed another sort of block travels in a thinking block beside it.
 */
import { carry, type Opaque, type Origin, uncarry, uncarryEncoded } from "#core";
import { protocolName } from "./name.ts";

/** The family that signatures without any mark are taken to be of: only Claude's maker writes such ones. */
export const nativeFamily = "claude";

/** The origin of what the named family of models wrote in this protocol. */
export const originOf = (family: string): Origin => ({ protocol: protocolName, family });

/** What every value begins with that is not of this protocol. */
export const foreignMark = "portico.";

/** Begins the ids of server tool calls that another protocol's upstream made. */
export const foreignServerId = "srvtoolu_portico";

/** Stands where this protocol demands an encrypted value and the model's maker has none. */
export const nothingEncrypted = carry({ value: "", origin: { protocol: "none", family: "none" } });

/** Whose signature it is: the thinking block's own, that of the block after or before it, or of a text without a letter. */
export type Place = "own" | "next" | "previous" | "empty";

/** A value on its way through a client. */
interface Carried {
	readonly opaque: Opaque;
	readonly place: Place;
}

const marks: Readonly<Record<Place, string>> = { own: "", next: ">", previous: "<", empty: "=" };
const places: Readonly<Record<string, Place>> = { ">": "next", "<": "previous", "=": "empty" };

/** The value as a Messages client is to replay it. Claude's own goes out as it is. */
export const writeCarried = ({ value, origin }: Opaque, place: Place = "own"): string =>
	origin.protocol === protocolName && origin.family === nativeFamily && place === "own"
		? value
		: carry({ value: marks[place] + value, origin });

/**
 * The reverse of `writeCarried`; undefined for a value of this protocol's own. Google's ADK holds signatures as bytes, and
 * writes one that is no base64 in base64.
 */
export const readCarried = (text: string): Carried | undefined => {
	const opaque = uncarry(text) ?? uncarryEncoded(text);
	if (opaque === undefined) return undefined;
	const place = places[opaque.value.charAt(0)] ?? "own";
	return { opaque: place === "own" ? opaque : { ...opaque, value: opaque.value.slice(1) }, place };
};

/** The value when this upstream can read it. */
export const nativeValue = (opaque: Opaque | undefined, family: string): string | undefined =>
	opaque?.origin.protocol === protocolName && opaque.origin.family === family && opaque.value !== ""
		? opaque.value
		: undefined;
