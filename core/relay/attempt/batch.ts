/** A batch that is too long for one message: asked one message after the other, all of them or none, and answered as one. */
import type { Clock } from "../../contract/clock.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { silent } from "../../errors/no-answer.ts";
import type { StreamLimits } from "../answer/stream-watch.ts";
import { UpstreamBody } from "../answer/upstream-body.ts";
import type { WholeAnswer } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { Gathering } from "../exchanges/gathering.ts";

interface BatchOptions {
	readonly live: LiveCall;
	/** The answer to the first message, which is on its way. */
	readonly first: Promise<Response>;
	/** The other messages. */
	readonly more: readonly UpstreamMessage[];
	readonly gathering: Gathering;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly abort: AbortController;
	ask(message: UpstreamMessage): Promise<Response>;
}

const readAnswer = async (response: Response, { live, gathering, clock, limits, abort }: BatchOptions) => {
	const source = new UpstreamBody(response, abort, live);
	source.watch(clock, limits.idleMs, silent);
	try {
		gathering.take(await source.rest(limits.answerBytes), response.headers.get("content-type") ?? "");
	} finally {
		source.unwatch();
	}
};

/** Gives the answer of all, or the first that failed: then what was asked by then is charged, and nothing is tried elsewhere. */
export const askBatch = async (options: BatchOptions): Promise<WholeAnswer | Response> => {
	const { live, gathering, more } = options;
	let underWay = true;
	const observer = { seen: () => gathering.seen(underWay && live.mayBeBilled) };
	live.observe(observer);
	let response = await options.first;
	for (let next = 0; response.ok; next++) {
		await readAnswer(response, options);
		underWay = false;
		const message = more[next];
		if (!message || gathering.failed()) return await gathering.end();
		live.partlyDone = true;
		const asked = options.ask(message);
		underWay = true;
		live.observe(observer);
		response = await asked;
	}
	return response;
};
