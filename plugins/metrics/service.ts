/** Metrics of other plugins: they add what they count to a slot, and the plugin `metrics` shows it beside its own. */
import { slot } from "#core";

export type Labels = Readonly<Record<string, string>>;

export type Together = "sum" | "highest" | "lowest";

export interface Sample {
	readonly labels: Labels;
	readonly value: number;
	/** `_bucket`, `_sum` or `_count` for the parts of a histogram. */
	readonly suffix?: string;
}

/** A metric without samples is shown by its type alone, so that dashboards find it before its first event. */
export interface Metric {
	readonly name: string;
	readonly type: "counter" | "gauge" | "histogram";
	/** One sentence. */
	readonly help: string;
	/**
	 * What becomes of a gauge's figures where several workers of one machine show them together: their sum unless said. What
	 * every worker reads from the database is the `highest`, for it is the same. Counters and histograms are always added up.
	 */
	readonly together?: Together;
	readonly samples: readonly Sample[];
}

/**
 * Asked whenever somebody looks. Labels must come from names that operators gave, never from what clients may choose.
 *
 * @example
 * add(metricSources, () => [{ name: "mine_total", type: "counter", help: "Mine.", samples: [{ labels: {}, value }] }]);
 */
export type MetricSource = () => readonly Metric[] | Promise<readonly Metric[]>;

export const metricSources = slot<MetricSource>("metrics.sources");

/** One figure without labels. */
export const figure = (
	name: string,
	type: Metric["type"],
	help: string,
	value: number,
	together?: Together,
): Metric => ({
	name,
	type,
	help,
	...(together && { together }),
	samples: [{ labels: {}, value }],
});

/** Seconds: from a refusal at once to an answer that is thought about for minutes. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const;

/** How often something took how long. */
export class Histogram {
	/** For each bound: how many took longer than the one before and no longer than this one. */
	private readonly bounds: readonly number[];
	private readonly counts: number[];
	private count = 0;
	private sum = 0;

	constructor(limits: readonly number[] = bounds) {
		this.bounds = limits;
		this.counts = new Array<number>(limits.length).fill(0);
	}

	observe(seconds: number): void {
		this.count++;
		this.sum += seconds;
		let at = 0;
		while (seconds > (this.bounds[at] ?? Number.POSITIVE_INFINITY)) at++;
		if (at < this.bounds.length) this.counts[at] = (this.counts[at] ?? 0) + 1;
	}

	/** Buckets that hold all below them, as the format wants it, and nothing when nothing was observed. */
	samples(labels: Labels): readonly Sample[] {
		if (this.count === 0) return [];
		let below = 0;
		const buckets = this.bounds.map((bound, at) => {
			below += this.counts[at] ?? 0;
			return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
		});
		return [
			...buckets,
			{ suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: this.count },
			{ suffix: "_sum", labels, value: this.sum },
			{ suffix: "_count", labels, value: this.count },
		];
	}
}
