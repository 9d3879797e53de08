/** The buckets and running calls of one token, or of one model. */
import { Bucket } from "./bucket.ts";

/** How much a minute may bring, and how many calls may run at once. What is absent is not limited. */
export interface Limits {
	readonly requestsPerMinute?: number;
	readonly tokensPerMinute?: number;
	readonly concurrent?: number;
}

export class Meter {
	readonly limits: Limits;
	readonly requests: Bucket | undefined;
	readonly tokens: Bucket | undefined;
	/** Shared with the meter that takes this one's place: calls that began here end there too. */
	readonly calls: { running: number };

	constructor(limits: Limits, now: number, calls = { running: 0 }) {
		this.limits = limits;
		this.calls = calls;
		this.requests = limits.requestsPerMinute === undefined ? undefined : new Bucket(limits.requestsPerMinute, now);
		this.tokens = limits.tokensPerMinute === undefined ? undefined : new Bucket(limits.tokensPerMinute, now);
	}

	/** What stands in the way of a call of about so many tokens, and for how long; undefined when nothing does. */
	obstacle(tokens: number, now: number): { readonly what: keyof Limits; readonly waitMs: number } | undefined {
		const { concurrent } = this.limits;
		if (concurrent !== undefined && this.calls.running >= concurrent) return { what: "concurrent", waitMs: 1000 };
		const forRequest = this.requests?.wait(1, now) ?? 0;
		if (forRequest > 0) return { what: "requestsPerMinute", waitMs: forRequest };
		const forTokens = this.tokens?.wait(tokens, now) ?? 0;
		return forTokens > 0 ? { what: "tokensPerMinute", waitMs: forTokens } : undefined;
	}

	begin(tokens: number, now: number): void {
		this.calls.running++;
		this.requests?.take(1, now);
		this.tokens?.take(tokens, now);
	}

	/** `used` in place of what was guessed at the beginning; a call that was never sent gives everything back. */
	end(guessed: number, used: number, sent: boolean, now: number): void {
		this.calls.running--;
		if (!sent) this.requests?.take(-1, now);
		this.tokens?.take((sent ? used : 0) - guessed, now);
	}

	/** Nothing would be lost by forgetting it. */
	idle(now: number): boolean {
		const full = (bucket: Bucket | undefined): boolean => bucket === undefined || bucket.untilFull(now) === 0;
		return this.calls.running === 0 && full(this.requests) && full(this.tokens);
	}
}

/** Meters by name. Made anew when their limits change; those that are idle are forgotten when there are many. */
export class Meters {
	private readonly byName = new Map<string, Meter>();
	private sweepAt = 10_000;

	of(name: string, limits: Limits, now: number): Meter {
		const known = this.byName.get(name);
		if (known && same(known.limits, limits)) return known;
		if (this.byName.size >= this.sweepAt) this.sweep(now);
		const meter = new Meter(limits, now, known?.calls);
		this.byName.set(name, meter);
		return meter;
	}

	get size(): number {
		return this.byName.size;
	}

	close(): void {
		this.byName.clear();
	}

	private sweep(now: number): void {
		for (const [name, meter] of this.byName) if (meter.idle(now)) this.byName.delete(name);
		this.sweepAt = Math.max(10_000, this.byName.size * 2);
	}
}

const same = (one: Limits, other: Limits): boolean =>
	one === other ||
	(one.requestsPerMinute === other.requestsPerMinute &&
		one.tokensPerMinute === other.tokensPerMinute &&
		one.concurrent === other.concurrent);
