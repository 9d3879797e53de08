/** Watches the time of an open stream: how long it has run, how long its upstream said nothing, how long its client heard nothing. */
import type { Clock } from "../../contract/clock.ts";

/** Limits on an open stream, milliseconds. */
export interface StreamLimits {
	/** The longest silence of the upstream. */
	readonly idleMs: number;
	/** The longest stream. */
	readonly totalMs: number;
	/** After this much silence towards the client a keep-alive is written, where the protocol has one. */
	readonly keepAliveMs: number;
	/** The largest event, and the largest answer in one piece, in bytes. */
	readonly answerBytes: number;
}

/** What is done when a limit is reached. */
export interface StreamAlarms {
	/** The stream has run for as long as one may. */
	tooLong(): void;
	/** Nothing was read of the upstream for as long as that may be. */
	silent(): void;
	/** The client has heard nothing for long enough to wonder. */
	quiet(): void;
}

/** One timer a stream, whatever passes: it looks at the clock, not at every event. */
export class StreamWatch {
	/** When the upstream was last read, and when something was last written to the client. Monotonic. */
	readAt: number;
	wroteAt: number;
	private readonly clock: Clock;
	private readonly limits: StreamLimits;
	private readonly startedAt: number;
	private readonly alarms: StreamAlarms;
	private cancel: () => void;

	constructor(clock: Clock, limits: StreamLimits, startedAt: number, alarms: StreamAlarms) {
		this.clock = clock;
		this.limits = limits;
		this.startedAt = startedAt;
		this.alarms = alarms;
		this.readAt = clock.monotonic();
		this.wroteAt = this.readAt;
		this.cancel = this.next();
	}

	/** Nothing is watched any more. */
	end(): void {
		this.cancel();
	}

	private next(): () => void {
		const { clock, limits } = this;
		const now = clock.monotonic();
		// Without a place for a sign of life the next one is looked for after the same time again.
		const quiet = Math.max(this.wroteAt + limits.keepAliveMs - now, 0) || limits.keepAliveMs;
		const ends = Math.min(this.readAt + limits.idleMs, this.startedAt + limits.totalMs);
		return clock.after(Math.max(1, Math.min(quiet, ends - now)), () => this.look());
	}

	private look(): void {
		const { limits, alarms } = this;
		const now = this.clock.monotonic();
		if (now - this.startedAt >= limits.totalMs) alarms.tooLong();
		else if (now - this.readAt >= limits.idleMs) alarms.silent();
		else {
			if (now - this.wroteAt >= limits.keepAliveMs) alarms.quiet();
			this.cancel = this.next();
		}
	}
}
