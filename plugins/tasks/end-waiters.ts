/** Calls that wait for a task to end. Told at once by the worker of this node; another node's end is seen within a second. */
import type { Clock } from "#core";

const lookAgainMs = 1000;

export class EndWaiters {
	private readonly clock: Clock;
	private readonly waiters = new Map<string, Set<() => void>>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Something became of this task. */
	tell(id: string): void {
		for (const wake of this.waiters.get(id) ?? []) wake();
	}

	/** Settles when the task is told of, after a second, or when the client leaves. */
	async turn(id: string, signal: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => {
			const waiters = this.waiters.get(id) ?? new Set();
			this.waiters.set(id, waiters);
			const wake = (): void => {
				cancel();
				signal.removeEventListener("abort", wake);
				waiters.delete(wake);
				if (waiters.size === 0) this.waiters.delete(id);
				resolve();
			};
			const cancel = this.clock.after(lookAgainMs, wake);
			waiters.add(wake);
			signal.addEventListener("abort", wake, { once: true });
			if (signal.aborted) wake();
		});
	}
}
