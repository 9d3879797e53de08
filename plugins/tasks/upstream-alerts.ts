/** What operators are told of upstreams of tasks: once for all nodes, and not again while one comes and goes. */
import type { Alert } from "../alerts/service.ts";

const quietMs = 15 * 60_000;

export const upstreamFailing = (upstream: string, reason: string): Alert => ({
	event: "upstream.failing",
	about: upstream,
	quietMs,
	data: {
		message: `The upstream ${upstream} of tasks fails: ${reason} portico status says what to do, portico tasks --upstream ${upstream} shows what waits.`,
		upstream,
		reason,
	},
});

export const upstreamRecovered = (upstream: string): Alert => ({
	event: "upstream.recovered",
	about: upstream,
	quietMs,
	ends: "upstream.failing",
	data: { message: `The upstream ${upstream} of tasks answers again.`, upstream },
});
