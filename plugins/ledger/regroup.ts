/** Sums put together anew, where several of them have one group. */

import { inTurns } from "./slices.ts";
import { dearestFirst, figureNames, type Sum } from "./sums.ts";

/** The sums put together where `regrouped` gives the same groups. */
export const regroup = async (
	sums: readonly Sum[],
	regrouped: (of: Sum["of"]) => Sum["of"],
): Promise<readonly Sum[]> => {
	const merged = new Map<string, Sum>();
	const merge = (sum: Sum): void => {
		const of = regrouped(sum.of);
		const key = JSON.stringify(of);
		const known = merged.get(key);
		if (!known) return void merged.set(key, { ...sum, took: [...sum.took], of });
		for (const name of figureNames) known[name] += sum[name];
		for (const [span, count] of sum.took.entries()) known.took[span] = (known.took[span] ?? 0) + count;
	};
	await inTurns(sums, (some) => some.forEach(merge));
	return dearestFirst([...merged.values()]);
};
