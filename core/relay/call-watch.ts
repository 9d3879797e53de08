/**
 * Notices clients that leave and calls that take too long. A listener and a timer cost as much as reading a request, and
 * most calls are over in a moment: a call gets them when it has run for that moment.
 */
import type { Clock } from "../contract/clock.ts";
import type { LiveCall } from "./live-call.ts";

const momentMs = 100;

export interface CallWatchOptions {
	readonly clock: Clock;
	/** How long a call may take until its answer begins. */
	readonly totalMs: number;
	/** The client of this call has gone. */
	left(live: LiveCall): void;
	/** It has taken too long. */
	tooLong(live: LiveCall): void;
}

export class CallWatch {
	private readonly options: CallWatchOptions;
	private young: LiveCall[] = [];

	constructor(options: CallWatchOptions) {
		this.options = options;
	}

	/** Watches the call from now on. */
	add(live: LiveCall): void {
		if (this.young.push(live) > 1) return;
		// By the system's clock, whatever clock the limits go by: it stands for a listener that is told at once.
		setTimeout(() => this.momentPasses(), momentMs).unref();
	}

	private momentPasses(): void {
		const calls = this.young;
		this.young = [];
		for (const live of calls) if (!live.isOver) this.watch(live);
	}

	private watch(live: LiveCall): void {
		const { clock, totalMs, left, tooLong } = this.options;
		const { request, startedAt } = live.routed;
		const { signal } = request;
		// Once a stream has begun it watches its time itself.
		if (!live.answering) {
			const remains = startedAt + totalMs - clock.monotonic();
			if (remains > 0) live.limitTime(clock.after(remains, () => tooLong(live)));
			else tooLong(live);
		}
		if (signal.aborted) left(live);
		else signal.addEventListener("abort", () => left(live), { once: true });
	}
}
