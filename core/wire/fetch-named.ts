/** Fetches what an upstream names (a picture, a video), by the rules of callbacks: no private address, what was checked is dialled. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pinnedRequest } from "./pinned-request.ts";
import { dialable, type Resolve } from "./public-addresses.ts";

interface FetchNamedOptions {
	readonly signal: AbortSignal;
	/** The upstream that named it is private itself, by config. */
	readonly allowPrivateNetworks: boolean;
	/** `systemResolve`, but for tests. */
	readonly resolve: Resolve;
}

/** True for addresses that may be fetched, or shown to a client as a link. */
export const isWebAddress = (address: string): boolean =>
	URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

const ask = (url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> =>
	new Promise((resolve, reject) => {
		signal.throwIfAborted();
		const request = pinnedRequest(url, address, "GET", { accept: "*/*", "accept-encoding": "identity" });
		const abort = (): void => void request.destroy(new TypeError("it was given up"));
		signal.addEventListener("abort", abort, { once: true });
		request.on("response", (response) => {
			response.on("close", () => signal.removeEventListener("abort", abort));
			resolve(response);
		});
		request.on("error", reject);
		request.end();
	});

/** The first of a name's addresses that can be connected to. */
const askFirst = async (url: URL, addresses: readonly string[], signal: AbortSignal): Promise<IncomingMessage> => {
	let last: unknown;
	for (const address of addresses)
		try {
			return await ask(url, address, signal);
		} catch (error) {
			last = error;
		}
	throw last;
};

const statusesWithoutBody = new Set([204, 205, 304]);

/** As `fetch` with `redirect: "manual"`. Throws `TypeError` for an address that may not be fetched, or leads nowhere. */
export const fetchNamed = async (named: string, options: FetchNamedOptions): Promise<Response> => {
	if (!isWebAddress(named)) throw new TypeError("an upstream named an address that is not http or https");
	const url = new URL(named);
	const found = await dialable(url.hostname, options.resolve, options.allowPrivateNetworks);
	if (typeof found === "string")
		throw new TypeError("an upstream named an address that may not be fetched, or leads nowhere");
	const message = await askFirst(url, found, options.signal);
	const headers = new Headers();
	for (const name of ["content-type", "content-length", "location"]) {
		const value = message.headers[name];
		if (typeof value === "string") headers.set(name, value);
	}
	const status = message.statusCode ?? 502;
	const body = statusesWithoutBody.has(status)
		? null
		: (Readable.toWeb(message) as unknown as ReadableStream<Uint8Array>);
	return new Response(body, { status, headers });
};

/** Whether a configured address is private itself: then what it names may be too. */
export const isPrivateUpstream = async (url: string, resolve: Resolve): Promise<boolean> =>
	(await dialable(new URL(url).hostname, resolve, false)) === "blocked";
