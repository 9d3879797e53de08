/**
 * Opaque values between Messages clients and models of other makers. A Messages client replays `signature` and `data`
 * unread, so a foreign value travels there, with what its maker will want back: the block it signed, its item, its parts.
 */
import { carry, definedOnly, type Opaque, type Origin, uncarry } from "#core";

/** The word for this protocol in config and in `Origin`. */
export const protocolName = "messages";

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

/** Whose signature it is: the thinking block's own, or that of the block after or before it. */
export type Place = "own" | "next" | "previous";

/** A value on its way, with what identifies it to its maker. `parts` are lengths of the summary parts in the text. */
export interface Carried {
	readonly opaque: Opaque;
	readonly place: Place;
	readonly itemId?: string;
	readonly parts?: readonly number[];
}

const marks: Readonly<Record<Place, string>> = { own: "", next: ">", previous: "<" };

/** The value as a Messages client is to replay it. Claude's own goes out as it is. */
export const writeCarried = ({ opaque, place, itemId, parts }: Carried): string => {
	const native = opaque.origin.protocol === protocolName && opaque.origin.family === nativeFamily;
	if (native && place === "own") return opaque.value;
	const notes = `${itemId === undefined ? "" : `|id=${itemId}`}${parts === undefined ? "" : `|parts=${parts.join(",")}`}`;
	return carry({ value: marks[place] + opaque.value + notes, origin: opaque.origin });
};

/** The reverse of `writeCarried`; undefined for a value of this protocol's own. */
export const readCarried = (text: string): Carried | undefined => {
	const opaque = uncarry(text);
	if (opaque === undefined) return undefined;
	const [marked = "", ...notes] = opaque.value.split("|");
	const place: Place = marked.startsWith(">") ? "next" : marked.startsWith("<") ? "previous" : "own";
	const note = (name: string): string | undefined =>
		notes.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
	return {
		opaque: { value: place === "own" ? marked : marked.slice(1), origin: opaque.origin },
		place,
		...definedOnly({ itemId: note("id"), parts: note("parts")?.split(",").map(Number) }),
	};
};

/** The value when this upstream can read it. */
export const nativeValue = (opaque: Opaque | undefined, family: string): string | undefined =>
	opaque?.origin.protocol === protocolName && opaque.origin.family === family && opaque.value !== ""
		? opaque.value
		: undefined;
