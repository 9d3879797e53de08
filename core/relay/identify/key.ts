/** Finds the one key in a request, whatever carries it. Every restriction applies after this, so none depends on the carrier. */
import { type Denial, deny } from "../../contract/fault.ts";

const wrongKey = (message: string): Denial => deny("authentication", message);

const scheme = /^bearer(?:\s+|$)/i;

/** `Bearer KEY` or the bare key; `Basic …` and the like are not keys. */
const bearer = (value: string): string => {
	const key = value.trim().replace(scheme, "");
	return /\s/.test(key) ? "" : key;
};

const bare = ["x-api-key", "x-goog-api-key", "api-key"] as const;

/** The key, or why there is none. `query` is given only where the route takes `?key=`. */
export const keyOf = (headers: Headers, query: URLSearchParams | undefined): string | Denial => {
	const found: string[] = [];
	const authorization = headers.get("authorization");
	if (authorization !== null) found.push(bearer(authorization));
	for (const name of bare) {
		const value = headers.get(name);
		if (value !== null) found.push(value.trim());
	}
	const secret = headers.get("mj-api-secret");
	if (secret !== null) found.push(bearer(secret));
	if (query) found.push(...query.getAll("key"));
	const key = found[0];
	if (key === undefined) return wrongKey("No API key was sent. Send one as `Authorization: Bearer sk-…`.");
	for (const other of found)
		if (other !== key) return wrongKey("The request carries more than one API key. Send the key once.");
	if (key !== "") return key;
	return wrongKey(
		"Incorrect API key provided. It is empty or not in a form that is known here; send `Authorization: Bearer sk-…`.",
	);
};
