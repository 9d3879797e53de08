/** How fast a slice is spent, and what it should have so that calls go on for a while when the database is away. */
import type { Lease } from "./lease.ts";

/** For so long a slice is to last at its pace; it is filled up when it would last half of that. */
const aheadMs = 150_000;
/** How often it is looked at, and what one look counts for in the pace. */
const lookMs = 1_000;
const lookCounts = 0.2;
/** For so long nothing is taken ahead after another node asked for what is here. */
const modestMs = 10_000;

export class SpendingPace {
	private lease: Lease | undefined;
	private lookedAt = Number.NEGATIVE_INFINITY;
	private settled = 0;
	/** Micro-dollars a millisecond. */
	private pace = 0;
	private recalledAt = Number.NEGATIVE_INFINITY;

	/** What the slice should have free, where it is being spent and has less than half of that. */
	lacking(slice: Lease, now: number): number | undefined {
		const since = now - this.lookedAt;
		if (since < lookMs) return undefined;
		const spent = this.lease === slice ? slice.settled - this.settled : 0;
		if (this.lease === slice) this.pace += (spent / since - this.pace) * (this.pace === 0 ? 1 : lookCounts);
		[this.lease, this.settled, this.lookedAt] = [slice, slice.settled, now];
		if (slice.recalled) this.recalledAt = now;
		const wanted = Math.ceil(this.pace * aheadMs);
		const enough = spent === 0 || slice.free * 2 >= wanted;
		return enough || now - this.recalledAt < modestMs ? undefined : wanted;
	}
}
