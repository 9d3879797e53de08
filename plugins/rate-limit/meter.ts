/** The buckets and running calls of one token, or of one model. */
import { definedOnly } from "#core";
import { Bucket } from "./bucket.ts";

/** How much a minute may bring, and how many calls may run at once. What is absent is not limited. */
export interface Limits {
	readonly requestsPerMinute?: number;
	readonly tokensPerMinute?: number;
	readonly concurrent?: number;
}

/** What stands in the way of a call, and for how long. */
export interface Obstacle {
	readonly what: keyof Limits;
	readonly waitMs: number;
	/** Nobody knows before the other nodes' part has been looked at: `obtain` finds out. */
	readonly unsure?: true;
}

/** What is left of a limit by the minute. Times are monotonic milliseconds. */
export interface Gauge {
	readonly limit: number;
	/** Whole units that could be taken now. */
	remaining(now: number): number;
	/** Milliseconds until all of it is there. */
	untilFull(now: number): number;
}

/** The limits of one token, or of one model, and how far they are used. */
export interface Meter {
	readonly limits: Limits;
	readonly requests: Gauge | undefined;
	readonly tokens: Gauge | undefined;
	/** What stands in the way of a call of about so many tokens; undefined when nothing does. */
	obstacle(tokens: number, now: number): Obstacle | undefined;
	/**
	 * Resolves when what is needed is here, or with what is not to be had. Another call may take it before: look again.
	 * Rejects when that cannot be found out.
	 */
	obtain?(tokens: number): Promise<Obstacle | undefined>;
	begin(tokens: number, now: number): void;
	/** `used` in place of what was guessed at the beginning; a call that was never sent gives everything back. */
	end(guessed: number, used: number, sent: boolean, now: number): void;
	/** Nothing would be lost by forgetting it. */
	idle(now: number): boolean;
}

/** The limits of a node that shares them with no other. */
export class OwnMeter implements Meter {
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

	obstacle(tokens: number, now: number): Obstacle | undefined {
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

	end(guessed: number, used: number, sent: boolean, now: number): void {
		this.calls.running--;
		if (!sent) this.requests?.take(-1, now);
		this.tokens?.take((sent ? used : 0) - guessed, now);
	}

	idle(now: number): boolean {
		const full = (bucket: Bucket | undefined): boolean => bucket === undefined || bucket.untilFull(now) === 0;
		return this.calls.running === 0 && full(this.requests) && full(this.tokens);
	}
}

/** Makes a meter; `before` is the one of that name whose limits have changed. */
export type MakeMeter = (name: string, limits: Limits, now: number, before: Meter | undefined) => Meter;

/** A node's part of limits that it cannot ask about; never less than one, or nothing would ever pass. */
export const partOf = (limits: Limits, nodes: number): Limits => {
	if (nodes === 1) return limits;
	const part = (limit: number | undefined) => limit && Math.max(1, Math.floor(limit / nodes));
	return definedOnly({
		requestsPerMinute: part(limits.requestsPerMinute),
		tokensPerMinute: part(limits.tokensPerMinute),
		concurrent: part(limits.concurrent),
	});
};

export const ownMeter: MakeMeter = (_name, limits, now, before) =>
	new OwnMeter(limits, now, before instanceof OwnMeter ? before.calls : undefined);

/** Meters by name. Made anew when their limits change; those that are idle are forgotten when there are many. */
export class Meters {
	private readonly byName = new Map<string, Meter>();
	private readonly make: MakeMeter;
	private readonly closing: (() => Promise<void>) | undefined;
	private sweepAt = 10_000;

	constructor(make: MakeMeter, closing?: () => Promise<void>) {
		this.make = make;
		this.closing = closing;
	}

	of(name: string, limits: Limits, now: number): Meter {
		const known = this.byName.get(name);
		if (known && same(known.limits, limits)) return known;
		if (this.byName.size >= this.sweepAt) this.sweep(now);
		const meter = this.make(name, limits, now, known);
		this.byName.set(name, meter);
		return meter;
	}

	get size(): number {
		return this.byName.size;
	}

	async close(): Promise<void> {
		this.byName.clear();
		await this.closing?.();
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
