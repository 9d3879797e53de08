/** What jobs show on their way: from the worker that has them to the client who watches. What another node's worker has does not come. */
import type { WireRecord } from "#core";

export class Previews {
	private readonly watchers = new Map<string, (preview: WireRecord) => void>();

	/** Told of each preview of a task until the function that this gives is called. */
	watch(task: string, told: (preview: WireRecord) => void): () => void {
		this.watchers.set(task, told);
		return () => this.watchers.delete(task);
	}

	close(): void {
		this.watchers.clear();
	}

	show(task: string, preview: WireRecord): void {
		this.watchers.get(task)?.(preview);
	}
}
