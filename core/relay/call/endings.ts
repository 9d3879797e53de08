/** What the endings of calls have in common. */
import type { Denial } from "../../contract/fault.ts";
import type { Ending } from "../../contract/outcome.ts";
import { tooLong } from "../../errors/no-answer.ts";
import type { OpenStream } from "./call-parts.ts";

/** Nobody's failure, or the client's or Portico's own. */
export const notTheUpstreams: ReadonlySet<Ending> = new Set(["completed", "client_left", "shut_down"]);

/** Nobody waited any longer. */
export const givenUp: ReadonlySet<Ending> = new Set(["client_left", "timed_out"]);

/** A stream that was not read for so long at its end may have been broken off for that, milliseconds. */
const heldUpMs = 1_000;

/** Whether the end of an open stream tells of its upstream: it is whole, or was broken off while its client read it. */
export const speaksOfUpstream = (ending: Ending, denial: Denial | undefined, { unread }: OpenStream): boolean => {
	if (ending === "completed") return true;
	const broke = ending === "upstream_failed" || (ending === "timed_out" && denial !== tooLong);
	return broke && unread.milliseconds < heldUpMs;
};
