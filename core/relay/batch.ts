/** A batch that is too long for one message: asked one message after the other, all of them or none, and answered as one. */
import type { Clock } from "../contract/clock.ts";
import type { UpstreamMessage } from "../contract/protocol.ts";
import type { Gathering } from "./endpoint-exchange.ts";
import type { WholeAnswer } from "./exchange.ts";
import type { LiveCall } from "./live-call.ts";
import { type StreamLimits, silent } from "./stream-watch.ts";
import { UpstreamBody } from "./upstream-body.ts";

export interface BatchOptions {
	readonly live: LiveCall;
	/** The answer to the first message. */
	readonly first: Response;
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

/** Gives the answer of all, or the first that failed: then what was answered before it is charged, and nothing is tried elsewhere. */
export const askBatch = async (options: BatchOptions): Promise<WholeAnswer | Response> => {
	const { live, gathering, more } = options;
	await readAnswer(options.first, options);
	for (const message of more) {
		if (gathering.failed()) break;
		live.partlyDone = true;
		let response: Response;
		try {
			response = await options.ask(message);
		} catch (error) {
			// Where nobody knows what became of this one, all that was held may be billed.
			if (!live.mayBeBilled) live.observe(gathering);
			throw error;
		}
		if (!response.ok) {
			live.observe(gathering);
			return response;
		}
		await readAnswer(response, options);
	}
	return await gathering.end();
};
