/** What operators are told of circuits: once for all nodes, and not again while it opens and closes. */
import type { Denial } from "#core";
import type { Alert } from "../alerts/service.ts";

const quietMs = 15 * 60_000;

export const circuitOpened = (upstream: string, error: Denial | undefined): Alert => ({
	event: "circuit.opened",
	about: upstream,
	quietMs,
	data: {
		message: `The upstream ${upstream} fails; its calls go elsewhere, where they can. portico calls --upstream ${upstream} shows them.`,
		upstream,
		kind: error?.kind,
		reason: error?.message,
	},
});

export const circuitClosed = (upstream: string): Alert => ({
	event: "circuit.closed",
	about: upstream,
	quietMs,
	ends: "circuit.opened",
	data: { message: `The upstream ${upstream} answers again.`, upstream },
});
