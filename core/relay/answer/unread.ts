/** For how long a stream was not read, because its client took nothing: its upstream may have gone on meanwhile. */
import type { Clock } from "../../contract/clock.ts";

/** A read that had to wait so long found nothing waiting. */
const caughtUpMs = 20;

export class Unread {
	private readonly clock: Clock;
	private soFar = 0;
	private since: number | undefined;

	/** Nothing is read yet. */
	constructor(clock: Clock) {
		this.clock = clock;
		this.begin();
	}

	/** Nothing is read at this moment. */
	get waits(): boolean {
		return this.since !== undefined;
	}

	/** Milliseconds of which nobody knows what came in them. */
	get milliseconds(): number {
		return this.since === undefined ? this.soFar : this.soFar + this.clock.monotonic() - this.since;
	}

	/** From now on nothing is read. */
	begin(): void {
		this.since = this.clock.monotonic();
	}

	/** From now on it is read. */
	end(): void {
		this.soFar = this.milliseconds;
		this.since = undefined;
	}

	/** Something was read; when it was long in coming, nothing was left of what had not been read. */
	came(waitedMs: number): void {
		if (waitedMs >= caughtUpMs) this.soFar = 0;
	}
}
