/** How a call ends that comes to no answer, or to none that can be read on. */
import { type Denial, deny, isFault } from "../../contract/fault.ts";
import type { Ending } from "../../contract/outcome.ts";
import { whatFailed } from "../../errors/describe.ts";
import { tooLong } from "../../errors/no-answer.ts";
import { noRoom } from "../../wire/byte-budget.ts";
import type { LiveCall } from "./live-call.ts";

export const endingOf = (live: LiveCall): Ending => {
	if (live.stoppedFor?.code === noRoom) return "failed";
	if (live.refusedBy !== undefined) return "refused";
	if (live.stoppedFor) return live.stoppedFor === tooLong ? "timed_out" : "shut_down";
	return live.left ? "client_left" : "upstream_failed";
};

const unreadable: Denial = { kind: "upstream", message: "The upstream's answer could not be read." };

/** Why a stream ends over which this was thrown. What is no fault is a mistake, a plugin's or Portico's, and the log tells it. */
export const whyUnreadable = ({ routed, options }: LiveCall, error: unknown): Denial => {
	if (isFault(error)) return error.denial;
	options.log.error("an answer could not be read to its end", { callId: routed.id, ...whatFailed(error) });
	return unreadable;
};

/** Why an attempt failed. What is no fault is a mistake, as above. */
export const whyFailed = ({ routed, options, target }: LiveCall, error: unknown): Denial => {
	if (isFault(error)) return error.denial;
	const upstream = target?.upstream.name;
	options.log.error("an attempt failed inside Portico", { callId: routed.id, upstream, ...whatFailed(error) });
	return deny(
		"upstream",
		"The upstream's answer could not be understood. Ask again, or ask the operator to look at the log.",
	);
};
