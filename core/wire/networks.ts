/** Addresses, and networks in CIDR notation. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { remembering } from "./remember.ts";

/** An address is a network of its whole length. */
interface Network {
	readonly base: ipaddr.IPv4 | ipaddr.IPv6;
	readonly bits: number;
}

/** A list of networks. */
export interface Networks {
	/** Undefined stands for an address that could not be found out; no list holds it. */
	has(address: string | undefined): boolean;
	readonly size: number;
}

const whole = (address: ipaddr.IPv4 | ipaddr.IPv6): number => (address.kind() === "ipv4" ? 32 : 128);

/** A mapped network (`::ffff:10.0.0.0/104`) as the IPv4 network it means; one that is wider than IPv4 stays IPv6. */
const unmapped = (base: ipaddr.IPv4 | ipaddr.IPv6, bits: number): Network =>
	base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
		? { base: base.toIPv4Address(), bits: bits - 96 }
		: { base, bits };

/** Reads one entry strictly, host bits cleared: what an address parser merely puts up with (`127.1`, `0x7f.1`, `1.2.3.04`) is refused, as is a zone. */
export const readNetwork = (entry: string): Network | undefined => {
	const slash = entry.indexOf("/");
	const text = slash === -1 ? entry : entry.slice(0, slash);
	if (isIP(text) === 0 || text.includes("%")) return undefined;
	const address = ipaddr.parse(text);
	if (slash === -1) return unmapped(address, whole(address));
	const length = entry.slice(slash + 1);
	if (!/^\d{1,3}$/.test(length) || Number(length) > whole(address)) return undefined;
	const { base, bits } = unmapped(address, Number(length));
	const kind = base.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
	return { base: kind.networkAddressFromCIDR(`${base.toString()}/${bits}`), bits };
};

const readOrThrow = (entry: string): Network => {
	const network = readNetwork(entry);
	if (!network) throw new TypeError("an entry is neither an address nor a network");
	return network;
};

const holds = ({ base, bits }: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
	base.kind() === address.kind() && address.match(base, bits);

/** Answers kept of each list: those who are looked for are few, and come again and again. */
const answersKept = 32;

/** Compiles a list. Throws `TypeError` for an entry that is neither an address nor a network. */
export const networksOf = (entries: readonly string[]): Networks => {
	const networks = entries.map(readOrThrow);
	const isHeld = remembering((text) => {
		if (isIP(text) === 0 || text.includes("%")) return false;
		const address = ipaddr.process(text);
		return networks.some((network) => holds(network, address));
	}, answersKept);
	return {
		has: (address) => address !== undefined && networks.length > 0 && isHeld(address),
		size: networks.length,
	};
};

/** One spelling for every address: mapped IPv4 as IPv4, IPv6 in its short form, no zone. Undefined for anything else. */
export const normaliseAddress = (text: string | undefined): string | undefined => {
	const bare = text?.split("%")[0];
	// The library alone would read 127.1, 0x7f.1 and 2130706433 as addresses, which no socket and no proxy writes.
	return bare !== undefined && isIP(bare) !== 0 ? ipaddr.process(bare).toString() : undefined;
};
