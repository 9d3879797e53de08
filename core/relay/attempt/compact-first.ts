/** Asks for the summary by which a conversation is made shorter, before the call itself is asked. */
import { estimateUsage } from "../../neutral/estimate.ts";
import { foldStream } from "../answer/answer.ts";
import type { Exchange } from "../call/exchange.ts";
import { soundly } from "../call/sound-amounts.ts";
import type { SummaryFirst } from "./approach.ts";
import { type Asking, readWatched } from "./asking.ts";

/** Leaves the shorter conversation with the call, and what it used. Gives the upstream's answer where that was a refusal. */
export const compactFirst = async (
	exchange: Exchange,
	{ request, goOn }: SummaryFirst,
	asking: Asking,
): Promise<Response | undefined> => {
	const { live, limits } = asking;
	live.compaction = { limit: request.maxOutputTokens };
	const response = await asking.ask(exchange.message);
	if (!response.ok) return response;
	const { seen: told, answer } = await readWatched(response, asking, async (source, type) => {
		if (type.includes("event-stream")) return await foldStream({ live, exchange, source, type, limits });
		return await exchange.whole(await source.rest(limits.answerBytes));
	});
	const seen = soundly(told);
	const used = seen.usage ?? estimateUsage(request, seen);
	// First alone: `goOn` throws where there is no summary, and the upstream bills that answer too.
	live.compaction = { used };
	live.compaction = { used, request: goOn(answer, used) };
	return undefined;
};
