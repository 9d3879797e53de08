/** How often a token may have callbacks sent by hand in a minute: each is a request to an address of its choice, and costs nothing. */
import { type Clock, Fault } from "#core";

const minuteMs = 60_000;

export class ManualLimit {
	private readonly clock: Clock;
	private readonly perMinute: number;
	/** When each token's callbacks of the last minute were sent, oldest first. */
	private readonly sent = new Map<string, number[]>();

	constructor(clock: Clock, perMinute: number) {
		this.clock = clock;
		this.perMinute = perMinute;
	}

	/** Counts one; throws `Fault` with the time of the next where there were too many. */
	take(tokenId: string): void {
		const now = this.clock.monotonic();
		const times = this.recent(tokenId, now);
		const [oldest] = times;
		if (oldest !== undefined && times.length >= this.perMinute) {
			const seconds = Math.max(1, Math.ceil((oldest + minuteMs - now) / 1000));
			throw new Fault({
				kind: "rate_limited",
				message: `Callbacks may be sent by hand ${this.perMinute} times a minute. Please try again in ${seconds}s.`,
				retryAfterSeconds: seconds,
			});
		}
		times.push(now);
	}

	private recent(tokenId: string, now: number): number[] {
		for (const [id, times] of this.sent) {
			while (times[0] !== undefined && times[0] <= now - minuteMs) times.shift();
			if (times.length === 0) this.sent.delete(id);
		}
		const times = this.sent.get(tokenId) ?? [];
		this.sent.set(tokenId, times);
		return times;
	}
}
