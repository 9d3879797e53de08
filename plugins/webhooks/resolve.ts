/** The addresses an attempt may dial, found anew at every attempt. */
import { lookup } from "node:dns/promises";
import { isPublicAddress, literalAddress } from "./address.ts";

/** All addresses of a name, in the order to be tried. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The system's resolver, hosts file included. */
export const systemResolve: Resolve = async (hostname) =>
	(await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);

/** Why there is nothing to dial: `blocked`: only forbidden addresses; `unknown`: the name leads nowhere. */
export type Unreachable = "blocked" | "unknown";

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
