/**
 * How fast a member may change things: what is changed leaves rows, and who changed it one of the audit, which stay. A script with
 * a member's cookie would fill the disk.
 */
import { type Admitted, type Clock, type Denial, deny, type Operator } from "#core";

/** More than anybody does by hand, a list that is worked off in the console among it. */
const atOnce = 600;
const eachMs = 500;

export class ChangePace {
	private readonly clock: Clock;
	/** When each may make all of them at once again. */
	private readonly restedAt = new Map<string, number>();
	/** Who sends a body is looked at again once it has come. */
	private readonly counted = new WeakSet<Admitted>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Counts one change of this person; why it is refused, where they made too many. Whoever runs the server may make any number. */
	take(call: Admitted, { id, role }: Operator): Denial | undefined {
		if (role === "admin" || this.counted.has(call)) return undefined;
		this.counted.add(call);
		const now = this.clock.monotonic();
		const restedAt = Math.max(now, this.restedAt.get(id) ?? now) + eachMs;
		if (restedAt - now > atOnce * eachMs)
			return deny("rate_limited", `You changed more than ${atOnce} things in short time; try again in a second.`, {
				retryAfterSeconds: 1,
				code: "too_many_changes",
			});
		this.restedAt.set(id, restedAt);
		return undefined;
	}
}
