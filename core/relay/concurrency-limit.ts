/**
 * How many calls may run at once, in all and of one caller; those beyond wait shortly for a place, in their order. All tokens of a
 * person are one caller: they may make as many as they like.
 */
import type { Clock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";

interface ConcurrencyLimits {
	/** Calls that run at the same time. */
	readonly calls: number;
	/** Calls of one token, or of all tokens of one person, that run at the same time. */
	readonly callsPerToken: number;
	/** How long a call waits for a place, milliseconds. As many may wait as may run. */
	readonly queueMs: number;
}

interface Waiting {
	begin(): void;
}

const full = (): Fault =>
	new Fault(
		deny("overloaded", "Portico is serving as many calls as it may. Ask again in a moment.", { retryAfterSeconds: 2 }),
	);

const callerFull = (limit: number): Fault =>
	new Fault(
		deny(
			"rate_limited",
			`This token, or its owner with all of theirs, has ${limit} calls running, as many as one may. Wait for one to end.`,
			{ code: "too_many_calls", retryAfterSeconds: 1 },
		),
	);

const none: readonly Waiting[] = [];

export class ConcurrencyLimit {
	private readonly limits: ConcurrencyLimits;
	private readonly clock: Clock;
	private readonly ofCaller = new Map<string, number>();
	private readonly queue = new Set<Waiting>();
	private taken = 0;

	constructor(limits: ConcurrencyLimits, clock: Clock) {
		this.limits = limits;
		this.clock = clock;
	}

	/** Calls that wait for a place. */
	get waiting(): number {
		return this.queue.size;
	}

	/**
	 * Takes a place for a call of this caller: at once (undefined), or when the promise resolves. Throws, or rejects with,
	 * a `Fault` when there is none. Whoever has one gives it back with `leave`, once.
	 */
	take(caller: string, signal: AbortSignal): Promise<void> | undefined {
		const { calls, callsPerToken } = this.limits;
		const running = this.ofCaller.get(caller) ?? 0;
		if (running >= callsPerToken) throw callerFull(callsPerToken);
		// Those who wait count too, or a caller could fill the queue.
		this.ofCaller.set(caller, running + 1);
		if (this.taken < calls) {
			this.taken++;
			return undefined;
		}
		if (this.queue.size >= calls) {
			this.forget(caller);
			throw full();
		}
		return this.wait(caller, signal);
	}

	leave(caller: string): void {
		this.forget(caller);
		const [next] = this.queue.size === 0 ? none : this.queue;
		if (next) next.begin();
		else this.taken--;
	}

	private wait(caller: string, signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const end = (): void => {
				this.queue.delete(waiting);
				cancel();
				signal.removeEventListener("abort", giveUp);
			};
			const giveUp = (): void => {
				end();
				this.forget(caller);
				reject(full());
			};
			const waiting: Waiting = {
				begin() {
					end();
					resolve();
				},
			};
			const cancel = this.clock.after(this.limits.queueMs, giveUp);
			signal.addEventListener("abort", giveUp, { once: true });
			this.queue.add(waiting);
		});
	}

	private forget(caller: string): void {
		const running = (this.ofCaller.get(caller) ?? 1) - 1;
		if (running > 0) this.ofCaller.set(caller, running);
		else this.ofCaller.delete(caller);
	}
}
