/** The client's address: from the socket, or from a header when a trusted proxy wrote it. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { remembering } from "../../foundation/remember.ts";

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Whether a normalised address lies in one of the networks. */
export interface Networks {
	has(address: string | undefined): boolean;
	readonly size: number;
}

/** Compiles addresses and CIDR ranges. Throws `TypeError` for an entry that is neither. */
export const networksOf = (entries: readonly string[]): Networks => {
	const networks: Network[] = entries.map((entry) => {
		if (entry.includes("/")) return ipaddr.parseCIDR(entry);
		const address = ipaddr.process(entry);
		return [address, address.kind() === "ipv4" ? 32 : 128];
	});
	return {
		size: networks.length,
		has(text) {
			if (text === undefined || networks.length === 0) return false;
			const address = ipaddr.process(text);
			return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
		},
	};
};

/** One spelling for every address: mapped IPv4 as IPv4, IPv6 in its short form, no zone. Undefined for anything else. */
export const normaliseAddress = (text: string | undefined): string | undefined => {
	const bare = text?.split("%")[0];
	// The library alone would read 127.1, 0x7f.1 and 2130706433 as addresses, which no socket and no proxy writes.
	return bare !== undefined && isIP(bare) !== 0 ? ipaddr.process(bare).toString() : undefined;
};

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
