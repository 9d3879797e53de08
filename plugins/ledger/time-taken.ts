/**
 * How long calls took, as counters of a few spans of time: they add up over hours, days and models as times themselves do
 * not, and percentiles are read from them, exact to a part of a span.
 */

/** Where the spans end, in milliseconds; the last has no end. */
const ends = [100, 250, 500, 1_000, 2_000, 3_500, 6_000, 10_000, 20_000, 40_000, 80_000, 160_000] as const;

/** Columns of the counters, shortest first. */
export const tookColumns: readonly string[] = [...ends, 0].map((_, span) => `took_${span}`);

/** The span of a call that took so long; null for one that was not completed, which does not say how long an answer takes. */
export const spanOf = (ending: string, durationMs: number): number | null => {
	if (ending !== "completed") return null;
	for (let span = 0; span < ends.length; span++) if (durationMs < (ends[span] ?? 0)) return span;
	return ends.length;
};

/** The same in SQL, for rows that were written without it. */
export const spanOfRow = `CASE WHEN ending <> 'completed' OR protocol IS 'tasks' OR detail->>'durationMs' IS NULL THEN NULL
	${ends.map((end, span) => `WHEN detail->>'durationMs' < ${end} THEN ${span}`).join(" ")} ELSE ${ends.length} END`;

/** In SQL, for each counter: whether a row counts there. */
export const tookCounts = (row: string): readonly string[] =>
	tookColumns.map((_, span) => `${row}took_span IS ${span}`);

/** The time within which this part of the calls was over; undefined without calls. */
export const percentile = (counts: readonly number[], part: number): number | undefined => {
	const all = counts.reduce((sum, count) => sum + count, 0);
	if (all === 0) return undefined;
	let below = 0;
	for (const [span, count] of counts.entries()) {
		const [from, to] = [span === 0 ? 0 : (ends[span - 1] ?? 0), ends[span]];
		// Of what took longer than all spans, only that is known.
		if (to === undefined) return from;
		if (count > 0 && below + count >= part * all)
			return Math.round(from + ((part * all - below) / count) * (to - from));
		below += count;
	}
	return undefined;
};
