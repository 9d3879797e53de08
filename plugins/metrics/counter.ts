/** How often something happened, by labels; bounded, for some of them clients choose. */
import type { Labels, Sample } from "./service.ts";

export class Counter {
	private readonly names: readonly string[];
	private readonly most: number;
	private readonly counts = new Map<string, { readonly labels: Labels; value: number }>();

	/** Beyond `most` different values of the labels everything is counted as `other`. */
	constructor(names: readonly string[], most = 1_000) {
		this.names = names;
		this.most = most;
	}

	/** `values`: one for each label, in their order. */
	add(values: readonly string[], by = 1): void {
		const key = values.join("\n");
		const known = this.counts.get(key);
		if (known) known.value += by;
		else if (this.counts.size < this.most) this.counts.set(key, { labels: this.labelsOf(values), value: by });
		else this.addOther(by);
	}

	private labelsOf(values: readonly string[]): Labels {
		return Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ""]));
	}

	private addOther(by: number): void {
		const known = this.counts.get("other");
		if (known) known.value += by;
		else this.counts.set("other", { labels: this.labelsOf(this.names.map(() => "other")), value: by });
	}

	clear(): void {
		this.counts.clear();
	}

	samples(): readonly Sample[] {
		return [...this.counts.values()];
	}
}
