/** What jobs show on their way: from the worker that has them to the clients who watch. What another node's worker has does not come. */
import type { WireRecord } from "#core";

type Told = (preview: WireRecord) => void;

export class Previews {
	private readonly watchers = new Map<string, Set<Told>>();

	/** Told of each preview of a task until the function that this gives is called. */
	watch(task: string, told: Told): () => void {
		const all = this.watchers.get(task) ?? new Set();
		this.watchers.set(task, all.add(told));
		return () => {
			all.delete(told);
			if (all.size === 0 && this.watchers.get(task) === all) this.watchers.delete(task);
		};
	}

	show(task: string, preview: WireRecord): void {
		for (const told of this.watchers.get(task) ?? []) told(preview);
	}

	close(): void {
		this.watchers.clear();
	}
}
