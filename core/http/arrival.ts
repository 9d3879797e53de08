/** A request that was admitted, and the call that is made of it: what is known before anything is asked of it. */
import type { Admitted } from "../contract/call.ts";
import type { Clock } from "../contract/clock.ts";
import type { Connection } from "../runtime/serve.ts";
import { orderedId } from "../store/ordered-id.ts";
import type { Networks } from "../wire/networks.ts";
import { originOf } from "../wire/origins.ts";
import { clientAddress, clientScheme } from "./address.ts";
import { requestIdOf } from "./admission.ts";

export interface Arrival {
	readonly request: Request;
	/** The address to route by, which may differ from the one that was sent. */
	readonly target: string;
	readonly connection: Connection;
}

export const unknownArrival = (request: Request): Arrival => ({
	request,
	target: request.url,
	connection: { address: undefined, holdOpen: () => () => undefined },
});

/** Path parameters of the matched route. */
export type Params = Readonly<Record<string, string>>;

export const noParams: Params = {};

export const newCallId = (now: number): string => `req_${orderedId(now)}`;

/**
 * What is known before the key is looked for. What few routes ask for is worked out when it is asked for; it belongs to the object itself,
 * so that a copy has it too.
 */
export const admitted = (
	arrival: Arrival,
	route: string,
	params: Params,
	known: { readonly clock: Clock; readonly trustedProxies: Networks },
): Admitted => {
	const { clock, trustedProxies } = known;
	const { request, connection } = arrival;
	const { headers } = request;
	const id = newCallId(clock.now());
	return {
		id,
		requestId: requestIdOf(headers) ?? id,
		request,
		params,
		route,
		startedAt: clock.monotonic(),
		address: clientAddress(connection.address, headers.get("x-forwarded-for"), trustedProxies),
		get url() {
			const value = new URL(arrival.target);
			// Worked out once: from now on it stands in place of what works it out.
			Object.defineProperty(this, "url", { value, enumerable: true });
			return value;
		},
		get origin() {
			const scheme = clientScheme(this.request, arrival.connection.address, known.trustedProxies);
			const value = originOf(scheme, this.request.headers.get("host") ?? "") ?? this.url.origin;
			Object.defineProperty(this, "origin", { value, enumerable: true });
			return value;
		},
	};
};
