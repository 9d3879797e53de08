/**
 * Notices clients that leave and calls that take too long. A listener and a timer cost as much as reading a request, and
 * most calls are over in a moment: a call gets them when it has run for that moment.
 */
import type { Clock } from "../../contract/clock.ts";
import type { LiveCall } from "./live-call.ts";

const momentMs = 100;

interface CallWatchOptions {
	readonly clock: Clock;
	/** The calls that run now. */
	readonly running: ReadonlySet<LiveCall>;
	/** How long a call may take until its answer begins. */
	readonly totalMs: number;
	/** The client of this call has gone. */
	left(live: LiveCall): void;
	/** It has taken too long. */
	tooLong(live: LiveCall): void;
}

export class CallWatch {
	private readonly options: CallWatchOptions;
	private looks = false;

	constructor(options: CallWatchOptions) {
		this.options = options;
	}

	/** A call has begun to run. */
	begun(): void {
		if (this.looks) return;
		this.looks = true;
		// By the system's clock, whatever clock the limits go by: it stands for a listener that is told at once.
		setTimeout(this.look, momentMs).unref();
	}

	private readonly look = (): void => {
		const { running } = this.options;
		this.looks = false;
		for (const live of running) if (!live.watched) this.watch(live);
		if (running.size > 0) this.begun();
	};

	private watch(live: LiveCall): void {
		const { clock, totalMs, left, tooLong } = this.options;
		const { request, startedAt } = live.routed;
		const { signal } = request;
		live.watched = true;
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
