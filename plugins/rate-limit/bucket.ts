/** A bucket that fills evenly: it holds a minute's worth, may be emptied at once, and may be overdrawn by what was not known before. */
const minuteMs = 60_000;

export class Bucket {
	readonly limit: number;
	private level: number;
	private at: number;

	/** `limit` for each minute; full at first. `now` in monotonic milliseconds. */
	constructor(limit: number, now: number) {
		this.limit = limit;
		this.level = limit;
		this.at = now;
	}

	private fill(now: number): void {
		this.level = Math.min(this.limit, this.level + ((now - this.at) * this.limit) / minuteMs);
		this.at = now;
	}

	/** Milliseconds until `amount` is there, 0 when it is; for more than the bucket holds, until it is full. */
	wait(amount: number, now: number): number {
		this.fill(now);
		return Math.max(0, ((Math.min(amount, this.limit) - this.level) * minuteMs) / this.limit);
	}

	/** Takes; a negative amount gives back. */
	take(amount: number, now: number): void {
		this.fill(now);
		this.level = Math.min(this.limit, this.level - amount);
	}

	/** Whole units that could be taken now. */
	remaining(now: number): number {
		this.fill(now);
		return Math.max(0, Math.floor(this.level));
	}

	/** Milliseconds until it is full. */
	untilFull(now: number): number {
		return this.wait(this.limit, now);
	}
}
