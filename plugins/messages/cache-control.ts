/** The mark of a cached prefix in Anthropic's words. */
import { type CacheMark, definedOnly, type WireRecord } from "#core";

/** Claude's cache knows five minutes and an hour: the hour holds what asks for half of one, or for more than one. */
export const cacheControl = ({ lifetime }: CacheMark): WireRecord => ({
	type: "ephemeral",
	...definedOnly({ ttl: lifetime === "30m" || lifetime === "12h" ? "1h" : lifetime }),
});
