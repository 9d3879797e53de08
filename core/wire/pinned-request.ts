/** One HTTP request that dials the address it is told, whatever the name means by now: `node:http` follows nothing and knows no proxy. */
import type http from "node:http";
import type https from "node:https";
import { createRequire } from "node:module";
import { isIP } from "node:net";
import { literalAddress } from "./public-addresses.ts";

const require = createRequire(import.meta.url);

/** Loaded by the first request: most gateways make none, and what is not loaded does not delay the start. */
const clientOf = (secure: boolean): typeof http | typeof https => require(secure ? "node:https" : "node:http");

/** `address`: one that `dialable` gave for the URL's host. The body is the caller's to write, and to end. */
export const pinnedRequest = (
	url: URL,
	address: string,
	method: string,
	headers: Readonly<Record<string, string | number>>,
): http.ClientRequest => {
	const literal = literalAddress(url.hostname);
	const secure = url.protocol === "https:";
	return clientOf(secure).request({
		protocol: url.protocol,
		method,
		host: literal ?? url.hostname,
		path: url.pathname + url.search,
		agent: false,
		...(url.port !== "" && { port: Number(url.port) }),
		...(secure && literal === undefined && { servername: url.hostname }),
		headers: { ...headers, host: url.host },
		lookup: (_name, options, found) => {
			const family = isIP(address);
			if (options.all) found(null, [{ address, family }]);
			else found(null, address, family);
		},
	});
};
