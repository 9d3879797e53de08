/**
 * How many requests may be under way to each upstream: one more after each that was answered, half as many after one that was
 * turned away; and one more for every while in which none ends, for one that hangs is not to keep all others waiting.
 */
import type { Clock } from "#core";

const whileMs = 30_000;

interface Load {
	running: number;
	limit: number;
	readonly most: number;
	/** When the first of them began, or one of them ended last. */
	since: number;
	/** How many of them are of each caller: all tokens of a person, who may make as many as they like, are one. */
	readonly ofCaller: Map<string, number>;
}

/** What one caller has to do at one upstream. */
const shareName = (upstream: string, caller: string): string => `${upstream} ${caller}`;

export class UpstreamConcurrency {
	private readonly concurrency = new Map<string, Load>();
	private readonly clock: Pick<Clock, "monotonic">;

	constructor(
		upstreams: readonly { readonly name: string; readonly concurrency: number }[],
		clock: Pick<Clock, "monotonic">,
	) {
		this.clock = clock;
		for (const { name, concurrency } of upstreams) {
			const most = Math.max(1, concurrency);
			this.concurrency.set(name, { running: 0, limit: most, most, since: 0, ofCaller: new Map() });
		}
	}

	private room({ running, limit, most, since }: Load): number {
		const whiles = running === 0 ? 0 : Math.floor((this.clock.monotonic() - since) / whileMs);
		return Math.min(most, Math.floor(limit) + whiles);
	}

	/** Upstreams that requests are under way to. */
	private busy(): readonly (readonly [name: string, load: Load])[] {
		return [...this.concurrency].filter(([, { running }]) => running > 0);
	}

	enter(name: string, caller: string): boolean {
		const load = this.concurrency.get(name);
		if (!load || load.running >= this.room(load)) return false;
		if (load.running === 0) load.since = this.clock.monotonic();
		load.running++;
		load.ofCaller.set(caller, (load.ofCaller.get(caller) ?? 0) + 1);
		return true;
	}

	/** `answered`: false when the upstream was too busy or did not answer; undefined when nothing was asked. */
	leave(name: string, caller: string, answered: boolean | undefined): void {
		const load = this.concurrency.get(name);
		if (!load) return;
		load.running--;
		load.since = this.clock.monotonic();
		const left = (load.ofCaller.get(caller) ?? 0) - 1;
		if (left > 0) load.ofCaller.set(caller, left);
		else load.ofCaller.delete(caller);
		if (answered === true) load.limit = Math.min(load.most, load.limit + 1 / Math.floor(load.limit));
		if (answered === false) load.limit = Math.max(1, load.limit / 2);
	}

	/** Upstreams that can take nothing now. */
	full(): readonly string[] {
		const full = this.busy().filter(([, load]) => load.running >= this.room(load));
		return full.map(([name]) => name);
	}

	/** Callers that have at an upstream what would be theirs if one more came: whoever has less goes first. By `shareName`. */
	served(): readonly string[] {
		return this.busy().flatMap(([name, load]) => {
			const { ofCaller } = load;
			const share = this.room(load) / (ofCaller.size + 1);
			return [...ofCaller].flatMap(([caller, running]) => (running >= share ? [shareName(name, caller)] : []));
		});
	}
}
