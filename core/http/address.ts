/** The client's address and scheme: from the socket, or from headers when a trusted proxy wrote them. */
import { type Networks, normaliseAddress } from "../wire/networks.ts";
import { remembering } from "../wire/remember.ts";

/** The same few call again and again. */
const normalisedPeer = remembering(normaliseAddress);

/** `203.0.113.7:4711` and `[2001:db8::1]:443` without the port. */
const withoutPort = (entry: string): string => {
	const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(entry);
	if (bracketed) return bracketed[1] ?? "";
	return /^[\d.]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(":")) : entry;
};

/**
 * Walks `X-Forwarded-For` from right to left past trusted proxies; the first other address is the client. The header
 * of a peer that is not trusted is ignored. An entry that cannot be read makes the address unknown (undefined), which
 * every address rule refuses.
 */
export const clientAddress = (
	peer: string | undefined,
	forwardedFor: string | null,
	trusted: Networks,
): string | undefined => {
	const socket = peer === undefined ? undefined : normalisedPeer(peer);
	if (forwardedFor === null || !trusted.has(socket)) return socket;
	const entries = forwardedFor.split(",").map((entry) => entry.trim());
	let last = socket;
	for (const entry of entries.reverse()) {
		const address = normaliseAddress(withoutPort(entry));
		if (address === undefined) return undefined;
		last = address;
		if (!trusted.has(address)) return address;
	}
	return last;
};

/** Of several proxies the first tells what the client used. */
export const clientScheme = (
	{ url, headers }: Request,
	peer: string | undefined,
	trusted: Networks,
): "http" | "https" => {
	const told = headers.get("x-forwarded-proto")?.split(",")[0]?.trim().toLowerCase();
	const believed = told !== undefined && peer !== undefined && trusted.has(normalisedPeer(peer));
	if (believed && (told === "http" || told === "https")) return told;
	return url.startsWith("https:") ? "https" : "http";
};
