/** How many requests may be under way to each upstream: one more after each that was answered, half as many after one that was turned away. */
export class UpstreamConcurrency {
	private readonly concurrency = new Map<string, { running: number; limit: number; readonly most: number }>();

	constructor(upstreams: readonly { readonly name: string; readonly concurrency: number }[]) {
		for (const { name, concurrency } of upstreams) {
			const most = Math.max(1, concurrency);
			this.concurrency.set(name, { running: 0, limit: most, most });
		}
	}

	enter(name: string): boolean {
		const load = this.concurrency.get(name);
		if (!load || load.running >= Math.floor(load.limit)) return false;
		load.running++;
		return true;
	}

	/** `answered`: false when the upstream was too busy or did not answer; undefined when nothing was asked. */
	leave(name: string, answered: boolean | undefined): void {
		const load = this.concurrency.get(name);
		if (!load) return;
		load.running--;
		if (answered === true) load.limit = Math.min(load.most, load.limit + 1 / Math.floor(load.limit));
		if (answered === false) load.limit = Math.max(1, load.limit / 2);
	}

	/** Upstreams that can take nothing now. */
	full(): readonly string[] {
		return [...this.concurrency].filter(([, { running, limit }]) => running >= Math.floor(limit)).map(([name]) => name);
	}
}
