/** The token setting `ips`: addresses and networks, compiled once. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Denial, deny, type Identified, remembering, type TokenSetting, t } from "#core";

/** One entry of a list: an address is a network of its whole length. */
export interface Network {
	readonly base: ipaddr.IPv4 | ipaddr.IPv6;
	readonly bits: number;
}

/** What the list was compiled to. */
export interface AllowedAddresses {
	/** Undefined stands for an address that could not be found out; no list holds it. */
	allows(address: string | undefined): boolean;
	/** The networks as they count: host bits cleared, mapped addresses as IPv4. */
	readonly canonical: readonly string[];
}

const whole = (address: ipaddr.IPv4 | ipaddr.IPv6): number => (address.kind() === "ipv4" ? 32 : 128);

/** A mapped network (`::ffff:10.0.0.0/104`) as the IPv4 network it means; one that is wider than IPv4 stays IPv6. */
const unmapped = (base: ipaddr.IPv4 | ipaddr.IPv6, bits: number): Network =>
	base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
		? { base: base.toIPv4Address(), bits: bits - 96 }
		: { base, bits };

/** Reads one entry strictly: what an address parser merely puts up with (`127.1`, `0x7f.1`, `1.2.3.04`) is refused. */
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

const isList = (value: unknown): value is readonly string[] =>
	Array.isArray(value) && value.every((entry) => typeof entry === "string");

const holds = ({ base, bits }: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
	base.kind() === address.kind() && address.match(base, bits);

/** Of each token. */
const addressesKept = 32;

/** Compiles a list; throws `TypeError` when an entry cannot be read. An empty list allows everything. */
export const allowedAddresses = (entries: readonly string[]): AllowedAddresses => {
	const networks = entries.map((entry) => {
		const network = readNetwork(entry);
		if (!network) throw new TypeError("an entry of ips is neither an address nor a network");
		return network;
	});
	// A token's clients are few, and each call asks.
	const isHeld = remembering((text) => {
		if (isIP(text) === 0 || text.includes("%")) return false;
		const address = ipaddr.process(text);
		return networks.some((network) => holds(network, address));
	}, addressesKept);
	return {
		canonical: networks.map(({ base, bits }) => `${base.toString()}/${bits}`),
		allows: (text) => networks.length === 0 || (text !== undefined && isHeld(text)),
	};
};

export const ips: TokenSetting<AllowedAddresses> = {
	key: "ips",
	schema: t.Array(t.String({ minLength: 1, maxLength: 64 }), {
		maxItems: 500,
		description: 'Addresses the token may be used from: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32". Empty: all.',
	}),
	refuse(value) {
		if (!isList(value)) return 'must be a list of addresses and networks, such as ["10.0.0.0/8", "::1"]';
		const wrong = value.find((entry) => readNetwork(entry) === undefined);
		if (wrong === undefined) return undefined;
		return `has "${wrong.slice(0, 64)}", which is neither an address nor a network; write "192.0.2.7", "10.0.0.0/8" or "2001:db8::/32", without a zone`;
	},
	compile(value) {
		if (!isList(value)) throw new TypeError("ips must be a list of addresses and networks");
		return allowedAddresses(value);
	},
};

/** Refuses an address that is not on the list, and any call whose address is not known. The list is not echoed. */
export const refuseAddress = (call: Identified, allowed: AllowedAddresses | undefined): Denial | undefined =>
	!allowed || allowed.allows(call.address)
		? undefined
		: deny("permission", "This token may not be used from this address. Ask the operator which addresses it is for.", {
				code: "ip_not_allowed",
			});
