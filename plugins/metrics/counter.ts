/** How often something happened, by labels; bounded, for some of them clients choose. */
import type { Labels, Sample } from "./service.ts";

interface Branch<Kept> {
	readonly next: Map<string | number, Branch<Kept>>;
	kept?: Kept;
}

const branch = <Kept>(): Branch<Kept> => ({ next: new Map() });

/** What is kept by values of labels, one after the other: a text made of them to look it up would be made for every call. */
export class ByLabels<Kept> {
	private root = branch<Kept>();
	/** In the order in which they came. */
	readonly all: Kept[] = [];

	find(values: readonly (string | number)[]): Kept | undefined {
		let at: Branch<Kept> | undefined = this.root;
		for (const value of values) {
			at = at.next.get(value);
			if (!at) return undefined;
		}
		return at.kept;
	}

	/** Where there is nothing yet. */
	add(values: readonly (string | number)[], kept: Kept): void {
		let at = this.root;
		for (const value of values) {
			const next = at.next.get(value) ?? branch<Kept>();
			at.next.set(value, next);
			at = next;
		}
		at.kept = kept;
		this.all.push(kept);
	}

	clear(): void {
		this.root = branch();
		this.all.length = 0;
	}
}

interface CounterLimits {
	/** How many different values of the labels there are room for; beyond them everything is counted as `other`. */
	readonly most?: number;
	/** Values that nobody but the operator chose, for which there is always room. */
	isOwn?(values: readonly string[]): boolean;
	/** Whether there is to be room for other values at all. */
	isTold?(values: readonly string[]): boolean;
}

export class Counter {
	private readonly names: readonly string[];
	private readonly limits: CounterLimits;
	private readonly counts = new ByLabels<{ readonly labels: Labels; value: number }>();

	constructor(names: readonly string[], limits: CounterLimits = {}) {
		this.names = names;
		this.limits = limits;
	}

	/** `values`: one for each label, in their order. */
	add(values: readonly string[], by = 1): void {
		const known = this.counts.find(values);
		if (known) known.value += by;
		else if (this.hasRoom(values)) this.counts.add(values, { labels: this.labelsOf(values), value: by });
		else this.addOther(by);
	}

	private hasRoom(values: readonly string[]): boolean {
		const { most = 1_000, isOwn, isTold } = this.limits;
		if (isOwn?.(values) === true) return true;
		return this.counts.all.length < most && (isTold?.(values) ?? true);
	}

	private labelsOf(values: readonly string[]): Labels {
		return Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ""]));
	}

	private addOther(by: number): void {
		const others = this.names.map(() => "other");
		const known = this.counts.find(others);
		if (known) known.value += by;
		else this.counts.add(others, { labels: this.labelsOf(others), value: by });
	}

	clear(): void {
		this.counts.clear();
	}

	samples(): readonly Sample[] {
		return this.counts.all;
	}
}
