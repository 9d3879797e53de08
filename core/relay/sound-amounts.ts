/** What an answer is said to have used comes from upstreams and plugins: what is no amount was not told. */
import type { Observation } from "../contract/protocol.ts";
import type { Usage } from "../neutral/response.ts";

const isAmount = (value: unknown): boolean =>
	value === undefined || (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY);

const areAmounts = <Part extends object>(part: Part): boolean => {
	for (const name in part) if (!isAmount(part[name])) return false;
	return true;
};

const isSoundUsage = ({ input, output, units, serverTools, beside }: Usage): boolean =>
	areAmounts(input) &&
	areAmounts(output) &&
	(units === undefined || areAmounts(units)) &&
	(serverTools === undefined || areAmounts(serverTools)) &&
	(beside === undefined || isSoundUsage(beside));

const isSound = ({ usage, pieces, contentBytes, serverTools, results }: Observation): boolean =>
	(usage === undefined || isSoundUsage(usage)) &&
	isAmount(pieces) &&
	isAmount(contentBytes) &&
	(serverTools === undefined || areAmounts(serverTools)) &&
	(results === undefined || areAmounts(results));

const amountOf = (value: number): number => (isAmount(value) ? value : 0);

/** The observation itself; where one of its amounts is none (NaN, negative, without end), without its usage. */
export const soundly = (seen: Observation): Observation => (isSound(seen) ? seen : withoutUsage(seen));

const withoutUsage = ({ usage: _, serverTools, results, ...seen }: Observation): Observation => ({
	...seen,
	pieces: amountOf(seen.pieces),
	contentBytes: amountOf(seen.contentBytes),
	...(serverTools && areAmounts(serverTools) && { serverTools }),
	...(results && areAmounts(results) && { results }),
});
