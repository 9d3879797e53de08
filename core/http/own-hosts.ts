/**
 * Which Host headers name this server. A web page whose own name was made to resolve to this machine (DNS rebinding) sends
 * that name, so it is not taken for the operator.
 */
import { networkInterfaces } from "node:os";
import { normaliseAddress } from "../wire/networks.ts";

/** The name or address without port, brackets and final dot, in one spelling. */
const bare = (host: string): string => {
	const [, bracketed, plain] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? [];
	const name = (bracketed ?? plain ?? host).replace(/\.$/, "");
	return normaliseAddress(name) ?? name;
};

const isLoopback = (name: string): boolean => name === "localhost" || name === "::1" || /^127(?:\.\d+){3}$/.test(name);

const isThisMachine = (name: string): boolean =>
	Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => normaliseAddress(address) === name));

/** `listened`: the address that is listened on; `configured`: further names. */
export const ownHosts = (listened: string, configured: readonly string[]): ((host: string) => boolean) => {
	const known = new Set([listened, ...configured].map(bare));
	return (host) => {
		const name = bare(host);
		return known.has(name) || isLoopback(name) || isThisMachine(name);
	};
};
