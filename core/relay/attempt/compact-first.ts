/** Asks for the summary by which a conversation is made shorter, before the call itself is asked. */
import type { Clock } from "../../contract/clock.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { silent } from "../../errors/no-answer.ts";
import { estimateUsage } from "../../neutral/estimate.ts";
import { foldStream } from "../answer/answer.ts";
import type { StreamLimits } from "../answer/stream-watch.ts";
import { UpstreamBody } from "../answer/upstream-body.ts";
import type { Exchange, WholeAnswer } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import { soundly } from "../call/sound-amounts.ts";
import type { SummaryFirst } from "./approach.ts";

export interface CompactionOptions {
	readonly live: LiveCall;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly abort: AbortController;
	/** Sends one message. */
	ask(message: UpstreamMessage): Promise<Response>;
}

const readWhole = async (
	response: Response,
	exchange: Exchange,
	{ live, clock, limits, abort }: CompactionOptions,
): Promise<WholeAnswer> => {
	const source = new UpstreamBody(response, abort, live);
	source.watch(clock, limits.idleMs, silent);
	const type = response.headers.get("content-type") ?? "";
	try {
		if (type.includes("event-stream")) return await foldStream({ live, exchange, source, type, limits });
		return await exchange.whole(await source.rest(limits.answerBytes));
	} finally {
		source.unwatch();
	}
};

/** Leaves the shorter conversation with the call, and what it used. Gives the upstream's answer where that was a refusal. */
export const compactFirst = async (
	exchange: Exchange,
	{ request, goOn }: SummaryFirst,
	options: CompactionOptions,
): Promise<Response | undefined> => {
	const { live } = options;
	live.compaction = { limit: request.maxOutputTokens };
	const response = await options.ask(exchange.message);
	if (!response.ok) return response;
	const { seen: told, answer } = await readWhole(response, exchange, options);
	const seen = soundly(told);
	const used = seen.usage ?? estimateUsage(request, seen);
	// First alone: `goOn` throws where there is no summary, and the upstream bills that answer too.
	live.compaction = { used };
	live.compaction = { used, request: goOn(answer, used) };
	return undefined;
};
