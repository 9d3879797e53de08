/** What operators are told of circuits: once for all nodes, and not again while it opens and closes. */
import type { AttemptReport } from "#core";
import type { Alert } from "../alerts/service.ts";

const quietMs = 15 * 60_000;

/** The upstream's own words, where it had any. */
export const reasonOf = ({ error, said }: AttemptReport): string | undefined => said?.message ?? error?.message;

export const circuitOpened = (upstream: string, report: AttemptReport): Alert => ({
	event: "circuit.opened",
	about: upstream,
	quietMs,
	data: {
		message: `The upstream ${upstream} fails; its calls go elsewhere, where they can. portico status says since when, and what to do.`,
		upstream,
		kind: report.error?.kind,
		reason: reasonOf(report),
	},
});

export const circuitClosed = (upstream: string): Alert => ({
	event: "circuit.closed",
	about: upstream,
	quietMs,
	ends: "circuit.opened",
	data: { message: `The upstream ${upstream} answers again.`, upstream },
});
