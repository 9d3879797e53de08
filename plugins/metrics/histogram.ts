/** How often something took how long. */
import type { Labels, Sample } from "./exposition.ts";

/** Seconds: from an error at the door to an answer that is thought about for minutes. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const;

export class Histogram {
	/** Of each bound, what took longer than the one before and no longer than itself. */
	private readonly counts = new Array<number>(bounds.length).fill(0);
	private count = 0;
	private sum = 0;

	observe(seconds: number): void {
		this.count++;
		this.sum += seconds;
		const at = bounds.findIndex((bound) => seconds <= bound);
		if (at >= 0) this.counts[at] = (this.counts[at] ?? 0) + 1;
	}

	/** Buckets that hold all below them, as the format wants it, and nothing when nothing was observed. */
	samples(labels: Labels): readonly Sample[] {
		if (this.count === 0) return [];
		let below = 0;
		const buckets = bounds.map((bound, at) => {
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
