/**
 * How many attempts may run at once, in all and to one receiver. A receiver that answers promptly gets many; one that
 * is not known to, one, and a few more while there is room. So receivers that hang can fill their own share of the
 * sockets and never the share of those that answer.
 */
export interface ConcurrencyLimits {
	/** Attempts in flight in all. */
	readonly overall: number;
	/** Attempts in flight to one receiver (scheme, host and port). */
	readonly perReceiver: number;
}

/** An answer within this time makes a receiver prompt, in milliseconds. */
const promptWithin = 1000;

/** Attempts in flight to a receiver that is not known to be prompt, while there is room. */
const unprovenDepth = 16;

/** Receivers that are remembered. */
const longestMemory = 10_000;

interface Load {
	running: number;
	prompt: boolean;
}

export class ReceiverConcurrency {
	private readonly limits: ConcurrencyLimits;
	private readonly concurrency = new Map<string, Load>();
	private running = 0;
	private unproven = 0;

	constructor(limits: ConcurrencyLimits) {
		this.limits = limits;
	}

	/** Attempts that could begin now, at the most. */
	get free(): number {
		return this.limits.overall - this.running;
	}

	/** Takes a place for an attempt at this receiver, if there is one. */
	enter(receiver: string): boolean {
		const load = this.concurrency.get(receiver) ?? { running: 0, prompt: false };
		if (!this.hasRoom(load)) return false;
		this.concurrency.set(receiver, load);
		load.running++;
		this.running++;
		if (!load.prompt) this.unproven++;
		return true;
	}

	private hasRoom(load: Load): boolean {
		const { overall, perReceiver } = this.limits;
		if (this.running >= overall) return false;
		if (load.prompt) return load.running < perReceiver;
		if (load.running === 0) return this.unproven < (overall * 3) / 4;
		return load.running < Math.min(unprovenDepth, perReceiver) && this.unproven < overall / 4;
	}

	/** Gives the place back. `durationMs` is how long the attempt took; undefined when none was made. */
	leave(receiver: string, durationMs: number | undefined): void {
		const load = this.concurrency.get(receiver);
		if (!load) return;
		if (!load.prompt) this.unproven--;
		load.running--;
		this.running--;
		if (durationMs !== undefined) this.judge(load, durationMs < promptWithin);
		if (this.concurrency.size > longestMemory) this.forget();
	}

	private judge(load: Load, prompt: boolean): void {
		if (prompt !== load.prompt) this.unproven += prompt ? -load.running : load.running;
		load.prompt = prompt;
	}

	/**
	 * Which receivers may get another attempt: all but `receivers`, which are full; or, where `only`, those alone, because
	 * receivers not known to be prompt have used up their share.
	 */
	reach(): { readonly only: boolean; readonly receivers: readonly string[] } {
		const only = !this.hasRoom({ running: 0, prompt: false });
		const listed = [...this.concurrency].filter(([, load]) => this.hasRoom(load) === only);
		return { only, receivers: listed.map(([receiver]) => receiver) };
	}

	private forget(): void {
		for (const [receiver, load] of this.concurrency) {
			if (this.concurrency.size <= longestMemory / 2) return;
			if (load.running === 0) this.concurrency.delete(receiver);
		}
	}
}
