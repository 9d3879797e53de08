/** What those are given who ask an upstream for more than the one answer: for a batch, and for a summary before the answer. */
import type { Clock } from "../../contract/clock.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { silent } from "../../errors/no-answer.ts";
import type { StreamLimits } from "../answer/stream-watch.ts";
import { UpstreamBody } from "../answer/upstream-body.ts";
import type { LiveCall } from "../call/live-call.ts";

export interface Asking {
	readonly live: LiveCall;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly abort: AbortController;
	/** Sends one message. */
	ask(message: UpstreamMessage): Promise<Response>;
}

/** What `read` makes of an answer and its media type; the upstream's work ends when nothing of it comes for too long. */
export const readWatched = async <Read>(
	response: Response,
	{ live, clock, limits, abort }: Asking,
	read: (source: UpstreamBody, type: string) => Promise<Read>,
): Promise<Read> => {
	const source = new UpstreamBody(response, abort, live);
	source.watch(clock, limits.idleMs, silent);
	try {
		return await read(source, response.headers.get("content-type") ?? "");
	} finally {
		source.unwatch();
	}
};
