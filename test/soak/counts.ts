/** What came of the calls of one phase. */

/** How often what was asked (a fault, or `healthy`) came to what. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What a client process tells of its phase. */
export interface Told {
	readonly outcomes: Outcomes;
	/** Milliseconds to the first byte and to the end of healthy calls, and from the end of a task to its last callback. */
	readonly firstBytes: readonly number[];
	readonly ends: readonly number[];
	readonly callbacks: readonly number[];
}

export class Counts implements Told {
	readonly outcomes: Record<string, Record<string, number>> = {};
	readonly firstBytes: number[] = [];
	readonly ends: number[] = [];
	readonly callbacks: number[] = [];

	note(asked: string, outcome: string, times = 1): void {
		const known = this.outcomes[asked] ?? {};
		this.outcomes[asked] = { ...known, [outcome]: (known[outcome] ?? 0) + times };
	}
}

/** Several phases as one. */
export const together = (all: readonly Told[]): Told => {
	const counts = new Counts();
	for (const { outcomes, firstBytes, ends, callbacks } of all) {
		for (const [asked, came] of Object.entries(outcomes))
			for (const [outcome, times] of Object.entries(came)) counts.note(asked, outcome, times);
		for (const milliseconds of firstBytes) counts.firstBytes.push(milliseconds);
		for (const milliseconds of ends) counts.ends.push(milliseconds);
		for (const milliseconds of callbacks) counts.callbacks.push(milliseconds);
	}
	return counts;
};

/** How often all that was asked, or this, came to this, or to anything. */
export const countOf = (outcomes: Outcomes, asked?: string, outcome?: string): number =>
	Object.entries(outcomes)
		.filter(([what]) => asked === undefined || what === asked)
		.flatMap(([, came]) => Object.entries(came))
		.filter(([came]) => outcome === undefined || came === outcome)
		.reduce((sum, [, count]) => sum + count, 0);

/** The value below which this share of all lies. */
export const percentile = (values: readonly number[], share: number): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Everything in a few lines, for people. */
export const linesOf = ({ outcomes, ...times }: Told): readonly string[] => {
	const spans = Object.entries(times).map(
		([what, all]) =>
			`  ${what.padEnd(22)} p50 ${percentile(all, 0.5).toFixed(1)} ms, p99 ${percentile(all, 0.99).toFixed(1)} ms, of ${all.length}`,
	);
	const came = Object.keys(outcomes)
		.toSorted()
		.map((asked) => {
			const parts = Object.entries(outcomes[asked] ?? {}).toSorted((a, b) => b[1] - a[1]);
			return `  ${asked.padEnd(22)} ${parts.map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`;
		});
	return [...spans, ...came];
};
