/** A batch that is too long for one message: asked one message after the other, all of them or none, and answered as one. */
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import type { WholeAnswer } from "../call/exchange.ts";
import type { Gathering } from "../exchanges/gathering.ts";
import { type Asking, readWatched } from "./asking.ts";

interface BatchOptions extends Asking {
	/** The answer to the first message, which is on its way. */
	readonly first: Promise<Response>;
	/** The other messages. */
	readonly more: readonly UpstreamMessage[];
	readonly gathering: Gathering;
}

/** Gives the answer of all, or the first that failed: then what was asked by then is charged, and nothing is tried elsewhere. */
export const askBatch = async (options: BatchOptions): Promise<WholeAnswer | Response> => {
	const { live, gathering, more, limits } = options;
	let underWay = true;
	const observer = { seen: () => gathering.seen(underWay && live.mayBeBilled) };
	live.observe(observer);
	let response = await options.first;
	for (let next = 0; response.ok; next++) {
		await readWatched(response, options, async (source, type) =>
			gathering.take(await source.rest(limits.answerBytes), type),
		);
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
