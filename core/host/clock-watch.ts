/** Whether the machine's clock was set lately: what goes by age would take all that is kept for old, and remove it for good. */
import type { Clock } from "../contract/clock.ts";

const dayMs = 86_400_000;

/** A smaller step makes nothing a day older than it is, and a machine that slept over night is not taken for a set clock. */
const leastMs = dayMs;

/** In so long somebody sees that it is wrong. */
const waitMs = dayMs;

export class ClockWatch {
	private readonly clock: Clock;
	/** How far the wall's time is from the time that only grows. */
	private apart: number;
	private set: { readonly at: number; readonly byMs: number; readonly since: number } | undefined;

	constructor(clock: Clock) {
		this.clock = clock;
		this.apart = clock.now() - clock.monotonic();
	}

	/** When and by how much it was set within the last day; undefined where it was not. To be asked every few seconds. */
	wasSet(): { readonly byMs: number; readonly since: number } | undefined {
		const [now, grown] = [this.clock.now(), this.clock.monotonic()];
		const byMs = now - grown - this.apart;
		this.apart += byMs;
		if (Math.abs(byMs) >= leastMs) this.set = { at: grown, byMs, since: now };
		else if (this.set && grown - this.set.at >= waitMs) this.set = undefined;
		return this.set;
	}
}
