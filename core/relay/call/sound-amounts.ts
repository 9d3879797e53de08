/** Upstreams and plugins tell what an answer used: an amount that is no number, negative or endless counts as not told. */
import type { Bound } from "../../contract/endpoint.ts";
import type { Log } from "../../contract/log.ts";
import type { Observation } from "../../contract/passthrough.ts";
import { whatFailed } from "../../errors/describe.ts";
import type { Usage } from "../../neutral/response.ts";
import type { StreamPass } from "./exchange.ts";

const isAmount = (value: unknown): boolean =>
	value === undefined || (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY);

const areAmounts = <Part extends object>(part: Part): boolean => {
	for (const name in part) if (!isAmount(part[name])) return false;
	return true;
};

/** Whether something can be held for it. */
export const isSoundBound = (bound: Bound): boolean =>
	typeof bound?.inputTokens === "number" &&
	typeof bound.outputTokens === "number" &&
	isAmount(bound.inputTokens) &&
	isAmount(bound.outputTokens) &&
	(bound.units === undefined || areAmounts(bound.units));

const isSoundUsage = (usage: Usage): boolean =>
	typeof usage?.input?.total === "number" &&
	typeof usage.output?.total === "number" &&
	areAmounts(usage.input) &&
	areAmounts(usage.output) &&
	(usage.units === undefined || areAmounts(usage.units)) &&
	(usage.serverTools === undefined || areAmounts(usage.serverTools)) &&
	(usage.beside === undefined || isSoundUsage(usage.beside));

const isSound = ({ usage, pieces, contentBytes, serverTools, results }: Observation): boolean =>
	(usage === undefined || isSoundUsage(usage)) &&
	isAmount(pieces) &&
	isAmount(contentBytes) &&
	(serverTools === undefined || areAmounts(serverTools)) &&
	(results === undefined || areAmounts(results));

const amountOf = (value: number): number => (isAmount(value) ? value : 0);

/** The observation itself; where one of its amounts is none (NaN, negative, without end), without its usage. */
export const soundly = (seen: Observation): Observation => (isSound(seen) ? seen : withoutUsage(seen));

/** What is said of an answer before anything was seen of it. */
export const nothingSeen: Observation = { finished: false, pieces: 0, contentBytes: 0 };

/**
 * What its observer saw of a call's answer. One that throws is a plugin's: the call is to be settled all the same, as if
 * nothing had been said.
 */
export const soundlySeen = (observer: Pick<StreamPass, "seen">, callId: string, log: Log): Observation => {
	try {
		return soundly(observer.seen());
	} catch (error) {
		const told = { callId, ...whatFailed(error) };
		log.error("what an answer used could not be told; it counts as not said", told);
		return nothingSeen;
	}
};

const withoutUsage = ({ usage: _, serverTools, results, ...seen }: Observation): Observation => ({
	...seen,
	pieces: amountOf(seen.pieces),
	contentBytes: amountOf(seen.contentBytes),
	...(serverTools && areAmounts(serverTools) && { serverTools }),
	...(results && areAmounts(results) && { results }),
});
