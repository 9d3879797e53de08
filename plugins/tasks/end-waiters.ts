/**
 * Calls that wait for a task to end. Told at once by the worker of this node; for what ends at another, all tasks that are waited for
 * are looked at together once a second: however many calls wait, the database is asked little.
 */
import { type Clock, deny, Fault } from "#core";

const lookAgainMs = 1000;
/** Tasks of one question. */
const lookedAtOnce = 500;
/** As many as may run of one caller of model calls. */
const mostOfCaller = 2_000;

const tooMany = (id: string): Fault =>
	new Fault(
		deny(
			"rate_limited",
			`More than ${mostOfCaller} calls of this token, or of its owner's, wait for tasks. This one was made all the same: ask for it at /v1/tasks/${id}.`,
			{ code: "too_many_calls", retryAfterSeconds: 1, headers: { "x-should-retry": "false" } },
		),
	);

interface Waiting {
	/** Settles when the task has ended, when the time is over, or when the client leaves. */
	readonly over: Promise<void>;
	/** Nobody waits any more. */
	leave(): void;
}

interface Wait {
	readonly caller: string;
	readonly limitMs: number;
	readonly signal: AbortSignal;
}

export class EndWaiters {
	private readonly clock: Clock;
	private readonly stillOpen: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
	private readonly waiters = new Map<string, Set<() => void>>();
	private readonly ofCaller = new Map<string, number>();
	private looking = false;

	/** `stillOpen`: those of these tasks that have not ended. */
	constructor(clock: Clock, stillOpen: (ids: readonly string[]) => Promise<ReadonlySet<string>>) {
		this.clock = clock;
		this.stillOpen = stillOpen;
	}

	/** This task has ended. */
	tell(id: string): void {
		for (const wake of [...(this.waiters.get(id) ?? [])]) wake();
	}

	/** Throws `Fault` for a caller of whom too many calls wait. */
	begin(id: string, { caller, limitMs, signal }: Wait): Waiting {
		const own = this.ofCaller.get(caller) ?? 0;
		if (own >= mostOfCaller) throw tooMany(id);
		this.ofCaller.set(caller, own + 1);
		const { promise, resolve } = Promise.withResolvers<void>();
		const waiters = this.waiters.get(id) ?? new Set();
		this.waiters.set(id, waiters.add(resolve));
		const cancel = this.clock.after(limitMs, resolve);
		const gone = (): void => resolve();
		signal.addEventListener("abort", gone, { once: true });
		if (signal.aborted) resolve();
		this.lookLater();
		return {
			over: promise,
			leave: () => {
				cancel();
				signal.removeEventListener("abort", gone);
				waiters.delete(resolve);
				if (waiters.size === 0 && this.waiters.get(id) === waiters) this.waiters.delete(id);
				const left = (this.ofCaller.get(caller) ?? 1) - 1;
				if (left > 0) this.ofCaller.set(caller, left);
				else this.ofCaller.delete(caller);
			},
		};
	}

	private lookLater(): void {
		if (this.looking || this.waiters.size === 0) return;
		this.looking = true;
		this.clock.after(lookAgainMs, () => void this.look());
	}

	private async look(): Promise<void> {
		const ids = [...this.waiters.keys()];
		try {
			for (let from = 0; from < ids.length; from += lookedAtOnce) {
				const some = ids.slice(from, from + lookedAtOnce);
				const open = await this.stillOpen(some);
				for (const id of some) if (!open.has(id)) this.tell(id);
			}
		} catch {
			// The store tells of its outages; the next look is a second later.
		} finally {
			this.looking = false;
			this.lookLater();
		}
	}
}
