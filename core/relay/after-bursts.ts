/**
 * Gives memory back after a burst. The runtime collects garbage only while it allocates: an idle process would keep what its
 * last calls left.
 */
import type { Clock } from "../contract/clock.ts";

/** Requests of so many bytes are a burst. */
const burstBytes = 32 * 1024 * 1024;
/** After the last call's end, in which the next may come. */
const quietMs = 1_000;

export class AfterBursts {
	private readonly clock: Clock;
	private readonly isIdle: () => boolean;
	private readonly collect: () => void;
	private bytes = 0;
	private waits = false;

	/** `collect` is called when no call is running. */
	constructor(clock: Clock, isIdle: () => boolean, collect: () => void) {
		this.clock = clock;
		this.isIdle = isIdle;
		this.collect = collect;
	}

	/** A call whose request had so many bytes has ended. */
	ended(bytes: number): void {
		this.bytes += bytes;
		if (this.waits || this.bytes < burstBytes || !this.isIdle()) return;
		this.waits = true;
		this.clock.after(quietMs, this.lookAgain);
	}

	private readonly lookAgain = (): void => {
		this.waits = false;
		if (!this.isIdle()) return;
		this.bytes = 0;
		this.collect();
	};
}
