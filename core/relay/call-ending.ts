/** How a call that came to no answer has ended, and the failures that are Portico's own. */
import { type Denial, isFault } from "../contract/fault.ts";
import type { CallRecord, Ending, Outcome } from "../contract/outcome.ts";
import { whatFailed } from "../errors/describe.ts";
import { noRoom } from "../wire/byte-budget.ts";
import type { LiveCall } from "./live-call.ts";
import type { CallStart, Recording } from "./record.ts";
import { tooLong } from "./stream-watch.ts";

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

const unreadable: Denial = { kind: "upstream", message: "The upstream's answer could not be read." };

/** Why a stream ends over which this was thrown. What is no fault is a mistake, a plugin's or Portico's, and the log tells it. */
export const whyUnreadable = ({ routed, options }: LiveCall, error: unknown): Denial => {
	if (isFault(error)) return error.denial;
	options.log.error("an answer could not be read to its end", { callId: routed.id, ...whatFailed(error) });
	return unreadable;
};

/** Endings that are nobody's failure, or the client's or Portico's own. */
export const notTheUpstreams: ReadonlySet<Ending> = new Set(["completed", "client_left", "shut_down"]);

export const endingOf = (live: LiveCall): Ending => {
	if (live.stoppedFor?.code === noRoom) return "failed";
	if (live.refusedBy !== undefined) return "refused";
	if (live.stoppedFor) return live.stoppedFor === tooLong ? "timed_out" : "shut_down";
	return live.left ? "client_left" : "upstream_failed";
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
