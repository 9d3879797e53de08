/** Failures that are Portico's own or the client's, and what is told of a call that was refused. */
import type { Denial } from "../contract/fault.ts";
import type { CallRecord, Outcome } from "../contract/outcome.ts";
import type { CallStart, Recording } from "./record.ts";

export const shuttingDown: Denial = {
	kind: "overloaded",
	message: "Portico is being stopped and could not finish this answer. Ask again.",
	retryAfterSeconds: 1,
};

/** What a reader of the answer is told when nobody is left to read it. */
export const clientGone: Denial = { kind: "internal", message: "The client left." };

/** What a connection that broke before its answer means. */
export const lost: Denial = {
	kind: "upstream",
	code: "upstream_broke_off",
	message: "The upstream closed the connection.",
};

/** What permits are told of a call that was refused before anything of it was sent. */
export const refusedOutcome = (denial: Denial): Outcome => ({
	ending: "refused",
	sent: false,
	contentBytes: 0,
	pieces: 0,
	denial,
});

/** The same for its row. */
export const refusedEnd = (
	{ statusOf }: Recording,
	{ call }: CallStart,
	denial: Denial,
): Pick<CallRecord, "outcome" | "status" | "attempts" | "losses"> => ({
	outcome: refusedOutcome(denial),
	status: statusOf(call, denial),
	attempts: [],
	losses: [],
});
