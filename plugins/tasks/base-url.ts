/** Where clients reach Portico, for links that come back to it. */
import type { Identified } from "#core";

/** `publicUrl` when the operator set one, else what the client used. The door may have rewritten the URL; the header has what was sent. */
export const baseUrlOf = (call: Identified, publicUrl: string | undefined): string => {
	if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
	const host = call.request.headers.get("host");
	return host === null ? call.url.origin : `${call.url.protocol}//${host}`;
};
