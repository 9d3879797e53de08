/** Which addresses a callback may go to: by the text of the URL at submission, by the address that is dialled at each attempt. */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { type Denial, deny } from "#core";

export interface AddressRules {
	/** Private, loopback and other special addresses may be called: for tests and closed networks. */
	readonly allowPrivateNetworks: boolean;
	/** Plain http is refused. */
	readonly httpsOnly: boolean;
}

const longest = 2000;

const network = (text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] => ipaddr.parseCIDR(text);

/** Special ranges that ipaddr.js calls ordinary: the metadata and wire-server addresses of clouds, and later registrations. */
const special = [
	"168.63.129.16/32",
	"192.31.196.0/24",
	"192.52.193.0/24",
	"192.175.48.0/24",
	"::/96",
	"64:ff9b::/96",
	"64:ff9b:1::/48",
	"100::/64",
	"2001::/23",
	"2002::/16",
	"3fff::/20",
	"5f00::/16",
	"fec0::/10",
].map(network);

/** The machine's own addresses: a callback to them would come back to this process. */
const own = (): ReadonlySet<string> =>
	new Set(
		Object.values(networkInterfaces()).flatMap((list) =>
			(list ?? []).map(({ address }) => ipaddr.process(bare(address)).toString()),
		),
	);

const bare = (address: string): string => address.split("%")[0] ?? address;

/** Whether an address, as a resolver or a URL gives it, is one of the public internet and not this machine's. */
export const isPublicAddress = (text: string, ownAddresses: () => ReadonlySet<string> = own): boolean => {
	if (isIP(bare(text)) === 0) return false;
	const address = ipaddr.process(bare(text));
	if (address.range() !== "unicast") return false;
	if (special.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))) return false;
	return !ownAddresses().has(address.toString());
};

/** The address in a URL's host, without brackets; undefined when the host is a name. */
export const literalAddress = (hostname: string): string | undefined => {
	const text = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
	return isIP(text) === 0 ? undefined : text;
};

/** Names that no public resolver answers for, or that always mean this machine or its network. */
const innerName = /^(?:.*\.)?(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

const isInnerName = (hostname: string): boolean => {
	const name = hostname.replace(/\.$/, "");
	return !name.includes(".") || innerName.test(name);
};

/** Ports of other protocols, which a crafted request could be mistaken by. 80 and 443 apart, callbacks use high ports. */
const isOddPort = (port: string): boolean => port !== "" && port !== "80" && port !== "443" && Number(port) < 1024;

const wrong = (message: string): Denial => deny("invalid_request", message, { code: "invalid_callback_url" });

/** The one answer for every address that is not public, so that nothing can be learnt by trying. */
export const forbidden: Denial = deny(
	"invalid_request",
	"The callback URL is not allowed: it must lead to a public address. Private, loopback and other special addresses are refused.",
	{ code: "callback_url_not_allowed" },
);

const parse = (text: string): URL | undefined => {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
};

/**
 * The address in one spelling, ready to be stored, or why it is refused. Judged by its text: a name is looked up only
 * at each attempt, because what it means may change in between and because a resolver may be slow.
 */
export const checkAddress = (text: string, rules: AddressRules): { readonly url: string } | Denial => {
	if (text.length > longest) return wrong(`The callback URL is longer than ${longest} characters.`);
	const url = parse(text);
	if (url === undefined)
		return wrong("The callback URL is not an absolute URL; send one like https://example.org/hook.");
	if (url.protocol !== "https:" && url.protocol !== "http:")
		return wrong("The callback URL must begin with https:// or http://.");
	if (rules.httpsOnly && url.protocol === "http:") return wrong("The callback URL must begin with https:// here.");
	if (url.username !== "" || url.password !== "")
		return wrong("The callback URL must not hold a user name or password; callbacks are signed instead.");
	if (url.port === "0") return wrong("The callback URL's port must not be 0.");
	if (!rules.allowPrivateNetworks && isOddPort(url.port))
		return wrong("The callback URL's port must be 80, 443 or 1024 and above.");
	url.hash = "";
	if (rules.allowPrivateNetworks) return { url: url.href };
	const literal = literalAddress(url.hostname);
	const open = literal === undefined ? !isInnerName(url.hostname) : isPublicAddress(literal);
	return open ? { url: url.href } : forbidden;
};
