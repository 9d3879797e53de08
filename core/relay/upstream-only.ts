/** A protocol that no client speaks with Portico: a vendor's own wire format, to ask it by. */

import type { RequestFacts } from "../contract/facts.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Protocol } from "../contract/protocol.ts";
import type { UpstreamSide } from "../contract/upstream-side.ts";
import { renderOwnDenial } from "../errors/own-errors.ts";

const unspoken = (): never => {
	throw new Fault(deny("unsupported", "Only upstreams speak this protocol."));
};

/**
 * All but the name of a protocol that only upstreams speak. `tiers`: words of its requests that change the price of their
 * tokens, where it has any.
 *
 * @example
 * add(protocols, { name, ...upstreamOnly(upstream) });
 */
export const upstreamOnly = (
	upstream: UpstreamSide,
	tiers: RequestFacts["tiers"] = () => [],
): Omit<Protocol, "name"> => ({
	client: {
		paths: [],
		read: unspoken,
		decodeRequest: unspoken,
		encodeResponse: unspoken,
		streamEncoder: unspoken,
		renderDenial: renderOwnDenial,
		renderStreamDenial: unspoken,
		streamType: unspoken,
	},
	upstream,
	passthrough: { request: unspoken, observe: unspoken, restore: unspoken, observer: unspoken, editor: unspoken },
	facts: { bound: unspoken, tiers, steering: unspoken },
});
