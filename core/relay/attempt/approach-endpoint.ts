/** How a call of an endpoint goes to one target. */
import type { EndpointRouted } from "../../contract/call.ts";
import { deny, Fault } from "../../contract/fault.ts";
import type { Target } from "../../contract/upstream.ts";
import type { LiveCall } from "../call/live-call.ts";
import { createEndpointExchange } from "../exchanges/endpoint-exchange.ts";
import { guardEndpoint } from "../exchanges/guarded-endpoint.ts";
import { type Approach, type ApproachOptions, refuseLosses } from "./approach.ts";

/** Throws `Fault` when the target cannot take the call. */
export const approachEndpoint = (
	live: LiveCall,
	routed: EndpointRouted,
	target: Target,
	options: ApproachOptions,
): Approach => {
	const endpoint = options.endpoints.get(routed.model.operation);
	if (!endpoint) throw new Fault(deny("internal", `No plugin here gives the endpoint ${routed.model.operation}.`));
	const { guarded } = live;
	const open = createEndpointExchange(
		{ ask: guarded?.endpointAsk ?? routed.ask, tiers: routed.tiers },
		endpoint,
		target,
	);
	const exchange = guarded && guarded.answers.length > 0 ? guardEndpoint(open, guarded.answers, live) : open;
	const { more, losses, dialect, passes } = exchange;
	if (options.strict) refuseLosses([...(routed.ask.steered ?? []), ...losses]);
	return {
		exchange,
		...(more.length > 0 && { batch: exchange }),
		protocol: dialect.name,
		endpoint: endpoint.name,
		wire: dialect,
		sameForm: passes === true,
	};
};
