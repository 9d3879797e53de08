/**
 * A node's share of one limit that nodes keep together: what it may let through without asking, and what it has to tell. Time
 * is the caller's, the database is `ShareSync`'s.
 */
import { type Answer, aheadPart, type BucketKind, marginMs, type Question, shareMs } from "./statements.ts";

/** A point on both clocks: the monotonic one for durations, the wall's for what happened while the machine slept. */
export interface Moment {
	readonly monotonic: number;
	readonly wall: number;
}

const minuteMs = 60_000;
/** What no call wanted for so long goes back, for other nodes. */
export const idleMs = 300;
const renewAfterMs = shareMs / 3;
/** How soon the database is asked again after it had nothing: sooner where other nodes may give something back. */
const askAgainMs = 100;
const longestDryMs = 1_000;

const never: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

export class Share implements BucketKind {
	readonly name: string;
	readonly fills: boolean;
	/** The limit of all nodes together. */
	limit: number;
	/** What calls here may have; below zero: what they used beyond what was there, which nobody was told yet. */
	free = 0;
	/** Calls that run here, where calls at once are limited. */
	running = 0;
	/** What other nodes held unused when the database was last asked. */
	elsewhere = 0;
	/** What the database counts as this node's, at least. */
	private told = 0;
	/** What calls gave back beyond that: it is the bucket's. And since when. */
	private refund = 0;
	private refundSince = 0;
	private usableUntil = never;
	private renewedAt = Number.NEGATIVE_INFINITY;
	private touchedAt = Number.NEGATIVE_INFINITY;
	/** What calls wait for that have asked since the last question, and the least of it. */
	private wanted = 0;
	private least = Number.POSITIVE_INFINITY;
	/** So much was not to be had, and for how long that is good enough to refuse a call. */
	private dry = { amount: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
	/** What was here after the last answer, and from when on more of it may be asked for ahead. */
	private full = 0;
	private aheadFrom = Number.NEGATIVE_INFINITY;
	/** What was in the bucket, and when. */
	private seen: { readonly level: number; readonly at: number };

	constructor({ name, limit, fills }: BucketKind, now: Moment) {
		this.name = name;
		this.limit = limit;
		this.fills = fills;
		this.seen = { level: limit, at: now.monotonic };
	}

	/** What the node likes to hold before a call wants it. */
	private get ahead(): number {
		return Math.floor(this.limit / aheadPart);
	}

	private usable({ monotonic, wall }: Moment): boolean {
		return monotonic < this.usableUntil.monotonic && wall < this.usableUntil.wall;
	}

	/** Whether a call may have so much at once. What is more than the whole limit waits for the whole. */
	has(amount: number, now: Moment): boolean {
		return this.free >= Math.min(amount, this.limit) && this.usable(now);
	}

	/** So much was asked for a moment ago and was not there. */
	isDry(amount: number, { monotonic }: Moment): boolean {
		return monotonic < this.dry.until && Math.min(amount, this.limit) >= this.dry.amount;
	}

	/** True when the database should hear of it soon: more is used than is here, or soon would be. */
	take(amount: number, now: Moment): boolean {
		this.touchedAt = now.monotonic;
		this.free -= amount;
		if (!this.fills) this.running += amount;
		return this.free < 0 || (this.free < this.full / 2 && now.monotonic >= this.aheadFrom);
	}

	/** True when the database should hear of it soon: another node may wait for it. */
	give(amount: number, now: Moment): boolean {
		if (!this.fills) this.running -= amount;
		const mine = Math.max(0, Math.min(amount, this.told - this.free - this.running));
		this.free += mine;
		// Calls that have ended leave nothing behind but room.
		if (this.fills && amount > mine) {
			if (this.refund === 0) this.refundSince = now.monotonic;
			this.refund += amount - mine;
		}
		return !this.fills && this.free > this.ahead;
	}

	/** A call waits for so much. */
	want(amount: number, now: Moment): void {
		const needed = Math.min(amount, this.limit);
		this.touchedAt = now.monotonic;
		this.wanted += needed;
		this.least = Math.min(this.least, needed);
	}

	/** No call is to come: what is free goes back with the next question. */
	rest(): void {
		this.touchedAt = Number.NEGATIVE_INFINITY;
	}

	private isIdle({ monotonic }: Moment): boolean {
		return this.wanted === 0 && monotonic - this.touchedAt >= idleMs;
	}

	/** Nothing is held, owed or under way: all could be forgotten but what the database knows. */
	get settled(): boolean {
		return this.told === 0 && this.free === 0 && this.running === 0 && this.refund === 0 && this.wanted === 0;
	}

	/** Whether there is something to tell without a call that waits for it. */
	isDue(now: Moment): boolean {
		if (this.free < 0 || this.refund > 0) return true;
		if (this.told > this.running && this.isIdle(now)) return true;
		return this.told > 0 && now.monotonic - this.renewedAt > renewAfterMs;
	}

	/** What is to be asked and told now. What goes back is given up at once, whatever becomes of the question. `serial` is above any before. */
	question(serial: number, now: Moment): Question {
		const { wanted, fills, running } = this;
		if (!this.usable(now)) this.free = Math.min(this.free, 0);
		const idle = this.isIdle(now);
		const most = idle ? 0 : fills ? Number.POSITIVE_INFINITY : Math.max(this.ahead, wanted);
		const keptFree = Math.max(0, Math.min(this.free, most));
		const back = fills ? this.free - keptFree : 0;
		const { refund } = this;
		const refundAgeMs = refund > 0 ? Math.ceil(now.monotonic - this.refundSince) : 0;
		const least = wanted > 0 ? Math.max(0, this.least - keptFree) : 0;
		const kept = running + keptFree;
		this.free = keptFree;
		this.refund = 0;
		this.told = kept;
		this.wanted = 0;
		this.least = Number.POSITIVE_INFINITY;
		const want = Math.max(0, wanted - keptFree);
		const ahead = idle ? 0 : this.ahead;
		return { serial, kept, keptFree, back, refund, refundAgeMs, least, want, ahead };
	}

	/** What the database said. `asked`: when the question was made. */
	heard({ kept, keptFree, least }: Question, answer: Answer, asked: Moment, now: Moment): void {
		const { granted, held, level, elsewhere } = answer;
		this.free += held - kept;
		this.full = this.free;
		if (granted === 0) this.aheadFrom = now.monotonic + askAgainMs;
		this.told = held;
		this.elsewhere = elsewhere;
		const span = shareMs - marginMs;
		this.usableUntil = { monotonic: asked.monotonic + span, wall: asked.wall + span };
		this.renewedAt = asked.monotonic;
		if (level !== undefined) this.seen = { level, at: now.monotonic };
		if (least === 0) return;
		if (granted >= least) {
			this.dry = { amount: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
			return;
		}
		const amount = least + keptFree;
		const soonest = elsewhere > 0 || !this.fills ? askAgainMs : this.waitMs(amount, now.monotonic);
		this.dry = { amount, until: now.monotonic + Math.min(longestDryMs, Math.max(askAgainMs, soonest)) };
	}

	/** The database may have heard the question or not: what calls used too much is told once more. */
	failed({ back }: Question): void {
		if (back < 0) this.free += back;
	}

	/** Milliseconds until a call may have so much, as far as this node knows. */
	waitMs(amount: number, now: number): number {
		if (!this.fills) return 1_000;
		return Math.max(0, ((Math.min(amount, this.limit) - this.known(now)) * minuteMs) / this.limit);
	}

	/** What is left of the limit for all nodes, as far as this node knows. */
	private known(now: number): number {
		const { level, at } = this.seen;
		return Math.min(this.limit, level + this.free + ((now - at) * this.limit) / minuteMs);
	}

	remaining(now: number): number {
		return Math.max(0, Math.floor(this.known(now)));
	}

	untilFull(now: number): number {
		return this.waitMs(this.limit, now);
	}
}
