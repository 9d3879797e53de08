/**
 * Whether a request comes from this server's own pages. `SameSite` alone does not separate ports and subdomains, so what
 * browsers say of a request's origin is checked too, wherever a cookie could speak for somebody.
 */
import { type Admitted, type Denial, deny, isOwnOrigin } from "#core";

/** Whether an origin is plain http on the very machine of the browser, where nobody reads along. */
export const isPlainLoopback = (origin: string): boolean =>
	/^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(origin);

const foreign = deny(
	"permission",
	"This request did not come from a page of this server. Behind a proxy that changes the Host header, set `url` of the plugin people to the address that people use.",
	{ code: "origin_not_allowed" },
);

const notJson = deny("unsupported_media_type", "Send the body as JSON, with `content-type: application/json`.");

/** `url`: the address that people use, where the operator says it. */
const isOwn = (call: Admitted, origin: string, url: string | undefined): boolean =>
	isOwnOrigin(origin, call.origin) || (url !== undefined && new URL(url).origin === origin);

/** The browser's own word, where it has one, and the origin, where there is one: both must be ours. */
const isForeign = (call: Admitted, url: string | undefined, sites: readonly string[]): boolean => {
	const { headers } = call.request;
	const origin = headers.get("origin");
	const site = headers.get("sec-fetch-site");
	return (origin !== null && !isOwn(call, origin, url)) || (site !== null && !sites.includes(site));
};

export const reads = (method: string): boolean => method === "GET" || method === "HEAD";

const hasOtherBody = ({ headers }: Request): boolean => {
	const type = headers.get("content-type");
	if (type !== null) return !/^application\/json *(?:;|$)/i.test(type);
	return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
};

/** Why a request with a session's cookie is refused; undefined when it is from a page of this server. */
export const refuseForeign = (call: Admitted, url: string | undefined): Denial | undefined => {
	const { method, headers } = call.request;
	if (reads(method)) return isForeign(call, url, ["same-origin", "none"]) ? foreign : undefined;
	const silent = !headers.has("origin") && !headers.has("sec-fetch-site");
	if (silent || isForeign(call, url, ["same-origin"])) return foreign;
	return hasOtherBody(call.request) ? notJson : undefined;
};

/**
 * Why a sign-in is refused. Who has no cookie yet may be a program that sends no origin; a foreign page must not sign
 * anybody in, and a password must not travel in the clear.
 */
export const refuseSignIn = (call: Admitted, url: string | undefined, insecure: boolean): Denial | undefined => {
	if (isForeign(call, url, ["same-origin"])) return foreign;
	if (hasOtherBody(call.request)) return notJson;
	const origin = call.request.headers.get("origin");
	const clear = origin?.startsWith("http:") === true && !isPlainLoopback(origin);
	if (!clear || insecure) return undefined;
	return deny(
		"permission",
		"Nobody signs in over plain http from another machine: the password would travel in the clear. Reach Portico over TLS (a proxy that server.trustedProxies names), or set `insecure: true` of the plugin people for a network you trust.",
		{ code: "tls_needed" },
	);
};
