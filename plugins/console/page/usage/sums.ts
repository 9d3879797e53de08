/** What the ledger sums up, and how the page divides it. */
import { asWire, number, text, type Wire, wires } from "../data/read.ts";
import { type Period, stepOf, steps } from "./periods.ts";

export interface Sum {
	/** The values it is grouped by. */
	readonly of: Readonly<Record<string, string>>;
	readonly calls: number;
	readonly completed: number;
	readonly inputTokens: number;
	readonly cachedTokens: number;
	readonly outputTokens: number;
	/** Dollars. */
	readonly cost: number;
	readonly saved: number;
	/** Milliseconds within which half of the completed calls, and 95 of a hundred, were over. */
	readonly p50: number | undefined;
	readonly p95: number | undefined;
}

export const sumsIn = (answer: Wire | undefined): readonly Sum[] =>
	answer === undefined
		? []
		: wires(answer, "data").map((row) => ({
				of: Object.fromEntries(
					Object.keys(row).flatMap((key): [string, string][] => {
						const value = text(row, key);
						return value === undefined ? [] : [[key, value]];
					}),
				),
				calls: number(row, "calls") ?? 0,
				completed: number(row, "completed") ?? 0,
				inputTokens: number(row, "inputTokens") ?? 0,
				cachedTokens: number(row, "cachedTokens") ?? 0,
				outputTokens: number(row, "outputTokens") ?? 0,
				cost: number(row, "cost") ?? 0,
				saved: number(row, "saved") ?? 0,
				p50: number(row, "p50Ms"),
				p95: number(row, "p95Ms"),
			}));

/** The dearest of a group apart, and the others together. */
export interface TopSums {
	readonly sums: readonly Sum[];
	readonly others: readonly Sum[];
	/** How many of the group these others are. */
	readonly count: number;
}

export const topSumsIn = (answer: Wire | undefined): TopSums => {
	const others = asWire(answer?.["others"]);
	return { sums: sumsIn(answer), others: sumsIn(others), count: number(others, "count") ?? 0 };
};

type Figure = "calls" | "completed" | "inputTokens" | "cachedTokens" | "outputTokens" | "cost" | "saved";

export const total = (sums: readonly Sum[], figure: Figure): number => sums.reduce((all, sum) => all + sum[figure], 0);

/** The sums of one group, the dearest first. */
export const grouped = (sums: readonly Sum[], by: string): readonly Sum[] => {
	const groups = Map.groupBy(sums, ({ of }) => of[by] ?? "");
	return [...groups]
		.map(([name, rows]) => ({
			of: { [by]: name },
			calls: total(rows, "calls"),
			completed: total(rows, "completed"),
			inputTokens: total(rows, "inputTokens"),
			cachedTokens: total(rows, "cachedTokens"),
			outputTokens: total(rows, "outputTokens"),
			cost: total(rows, "cost"),
			saved: total(rows, "saved"),
			// They do not add up: the server is asked for those of a group.
			p50: undefined,
			p95: undefined,
		}))
		.sort((a, b) => b.cost - a.cost || b.calls - a.calls);
};

export interface Series {
	readonly name: string;
	/** One for each step. */
	readonly values: readonly number[];
}

const apart = 3;

/** The three largest models apart and the others together, for every step of the period. */
export const seriesOf = (
	sums: readonly Sum[],
	figure: "cost" | "calls",
	period: Period,
	now: number,
): readonly Series[] => {
	const names = grouped(sums, "model")
		.toSorted((a, b) => b[figure] - a[figure])
		.slice(0, apart)
		.map(({ of }) => of["model"] ?? "");
	const at = steps(period, now);
	const values = (mine: (model: string) => boolean): readonly number[] => {
		const byStep = Map.groupBy(
			sums.filter(({ of }) => mine(of["model"] ?? "")),
			({ of }) => stepOf(of[period.by] ?? "", period.by),
		);
		return at.map((step) => total(byStep.get(step) ?? [], figure));
	};
	const known = names.map((name) => ({ name: name || "no known model", values: values((model) => model === name) }));
	const others = { name: "others", values: values((model) => !names.includes(model)) };
	return others.values.some((value) => value > 0) ? [...known, others] : known;
};
