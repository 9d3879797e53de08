/** Which addresses are of the public internet, by the text of a URL's host and by what its name resolves to. */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

const network = (text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] => ipaddr.parseCIDR(text);

/** Special ranges that ipaddr.js calls ordinary: the metadata and wire-server addresses of clouds, and later registrations. */
const special = [
	"168.63.129.16/32",
	"192.31.196.0/24",
	"192.52.193.0/24",
	"192.175.48.0/24",
	"2001::/23",
	"2002::/16",
	"3ffe::/16",
	"3fff::/20",
].map(network);

/** All of IPv6 that is given out. What leads into IPv4 (`64:ff9b::/96`, ISATAP's `::5efe:127.0.0.1`) lies elsewhere, or is special. */
const [globalBase, globalBits] = network("2000::/3");

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
	if (address.kind() === "ipv6" && !address.match(globalBase, globalBits)) return false;
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

/** Whether a URL's host, by its text, is of some inner network, or this machine's. */
export const isInnerHost = (hostname: string): boolean => {
	const literal = literalAddress(hostname);
	return literal === undefined ? isInnerName(hostname) : !isPublicAddress(literal);
};

/** All addresses of a name, in the order to be tried. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Why there is nothing to dial: `blocked`: only forbidden addresses; `unknown`: the name leads nowhere. */
type Unreachable = "blocked" | "unknown";

/**
 * What may be dialled for a URL's host: of a name with public and private addresses, only the public ones. What is
 * returned here is what is dialled, so an answer that changes between the check and the connection changes nothing.
 */
export const dialable = async (
	hostname: string,
	resolve: Resolve,
	allowPrivateNetworks: boolean,
): Promise<readonly string[] | Unreachable> => {
	const literal = literalAddress(hostname);
	let found: readonly string[];
	try {
		found = literal === undefined ? await resolve(hostname) : [literal];
	} catch {
		return "unknown";
	}
	if (found.length === 0) return "unknown";
	const open = allowPrivateNetworks ? found : found.filter((address) => isPublicAddress(address));
	return open.length > 0 ? open : "blocked";
};
