/** Requests as a protocol's client side takes them, made from a path and a body. */
import { type ModelAsk, type Protocol, readJsonBody } from "#core";

/** Clients write the version before the path; an upstream's own path may lack it. */
const withVersion = (path: string, protocol: Protocol): string => {
	if (/^\/v1/.test(path)) return path;
	return `${protocol.client.paths.some((own) => own.startsWith("/v1beta/")) ? "/v1beta" : "/v1"}${path}`;
};

/** The request as it would arrive at Portico. Throws what the protocol throws for a request it refuses. */
export const askOf = (protocol: Protocol, path: string, body: unknown): ModelAsk => {
	const url = new URL(`http://portico.test${withVersion(path, protocol)}`);
	const rest = url.pathname.split("/models/")[1];
	const request = {
		url,
		params: rest === undefined ? {} : { "*": rest },
		headers: new Headers({ "content-type": "application/json" }),
		body: readJsonBody(new TextEncoder().encode(JSON.stringify(body))),
	};
	return { ...request, protocol, call: protocol.client.read(request) };
};
