/** What is checked of a request before any route is looked for. */
import { type Denial, deny } from "../contract/fault.ts";
import { withoutKeys } from "../errors/redact.ts";
import { remembering } from "../wire/remember.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const hostName = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Names that end in a number are addresses to whoever parses a URL, and `127.x.0.1` and the like are none. */
const endsInNumber = /(?:^|[.])(?:\d+|0x[\da-f]*)\.?(?::\d+)?$/i;
const plainAddress = /^(?:\d{1,2}|1\d\d)(?:\.(?:\d{1,2}|1\d\d)){3}(?::\d{1,4})?$/;

/** Clients write the same few. */
const isPlainHost = remembering((host) => {
	if (!hostName.test(host)) return false;
	const suspect = endsInNumber.test(host) || host.startsWith("[") || /:\d{5}$/.test(host) || /xn--/i.test(host);
	return !suspect || plainAddress.test(host) || URL.canParse(`http://${host}/`);
});

/**
 * Refuses methods and Host headers no client of ours sends, or gives the URL that routing uses. The server library
 * finds the path by counting from a fixed place, which a Host of one to three characters shifts; such a Host is usual
 * between containers, so the URL is rewritten rather than refused. A doubled `/v1/v1` (a base address that already
 * held it) is collapsed.
 */
export const admit = (request: Request): string | Denial => {
	if (!methods.has(request.method))
		return deny("method_not_allowed", "This method is not served here; use GET, POST or DELETE.");
	const host = request.headers.get("host");
	if (host !== null && (host.length > 255 || !isPlainHost(host)))
		return deny("invalid_request", "The Host header is not one host name; send exactly one, without a path.");
	const { url } = request;
	const path = url.indexOf("/", 8);
	if (!url.startsWith("http") || path === -1)
		return deny("invalid_request", "The request target is not a path; send one that begins with `/`.");
	// The router would take `//v1` for `/v1`; what was matched and what was asked must never differ.
	if (url.startsWith("//", path)) return crooked;
	if (path >= 11 && !url.startsWith("/v1/v1/", path)) return url;
	return `http://localhost${url.slice(path).replace(/^(?:\/v1)+(?=\/v1\/)/, "")}`;
};

export const crooked = deny(
	"not_found",
	"There is nothing at this address: its path has `..` or an empty part (`//`). Send the path that is meant; a base address that ends with a slash makes two.",
);

/**
 * Where somebody meant to go whose browser asks for `//console`. Programs are not led on: what stands before this server may
 * have judged by the path.
 */
export const meantByBrowser = ({ method, url, headers }: Request): string | undefined => {
	if (method !== "GET" || headers.get("accept")?.includes("text/html") !== true || !URL.canParse(url)) return undefined;
	// A backslash is a slash to browsers, and is one in here.
	const { pathname, search } = new URL(url);
	const path = pathname.replace(/\/{2,}/g, "/");
	return path === pathname ? undefined : path + search;
};

/** What tells a browser that the page's origin may read the answer; nothing when it may not. */
export const originHeaders = (request: Request, origins: readonly string[]): Readonly<Record<string, string>> => {
	if (origins.includes("*")) return { "access-control-allow-origin": "*" };
	const origin = request.headers.get("origin");
	if (origin === null || !origins.includes(origin)) return { vary: "origin" };
	return { "access-control-allow-origin": origin, vary: "origin" };
};

/** Answers a browser's preflight. Access is by key in a header, never by cookie, so any origin may ask unless config says otherwise. */
export const preflight = (request: Request, origins: readonly string[]): Response => {
	const asked = request.headers.get("access-control-request-headers");
	const headers = asked !== null && /^[\w\-, ]{1,1000}$/.test(asked) ? asked : "authorization, content-type";
	return new Response(null, {
		status: 204,
		headers: {
			...originHeaders(request, origins),
			"access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
			"access-control-allow-headers": headers,
			"access-control-max-age": "86400",
		},
	});
};

/** The client's request id when it is short and plain enough to log and return, and does not look like a key. */
export const requestIdOf = (headers: Headers): string | undefined => {
	const given = headers.get("x-request-id");
	return given !== null && /^[\w.:-]{1,128}$/.test(given) && withoutKeys(given) === given ? given : undefined;
};
