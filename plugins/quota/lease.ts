/** A lease in the memory of its node: what calls hold of it, what they were charged, what is left to hold. */
import type { Charge } from "#core";
import type { LedgerRow } from "./service.ts";
import { type LeaseFigures, marginMs } from "./statements.ts";

/** What one call holds back until its real cost is known. Micro-dollars. */
export interface Reservation {
	/** The call's id. */
	readonly id: string;
	readonly lease: Lease;
	/** Never charged more than this; infinite for a token without a quota. */
	readonly amount: number;
	readonly model: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** What a crash would charge; the whole amount until something less is known to suffice. */
	watermark: number | undefined;
}

/** A point on both clocks: the monotonic one for durations, the wall's for what happened while the machine slept. */
export interface Moment {
	readonly monotonic: number;
	readonly wall: number;
}

export class Lease implements LeaseFigures {
	readonly id: string;
	/** Whose money it is: the name of the account. */
	readonly account: string;
	readonly kind: "slice" | "tally";
	/** What calls here may spend, and what the database set aside for it: more, while something is being given back. */
	granted = 0;
	setAside = 0;
	settled = 0;
	/** Of `settled`, what the database knows. */
	written = 0;
	/** Promised to calls that are running. */
	held = 0;
	readonly running = new Set<Reservation>();
	/** Ledger rows that wait to be written together with the charges they explain. */
	rows: LedgerRow[] = [];
	/** When a call last held or settled something, and when the database last heard of the lease; monotonic. */
	touchedAt: number;
	renewedAt: number;
	/** The database knows it. */
	opened = false;
	/** Others wait for what is not needed here. */
	recalled = false;
	/** No call may hold anything any more; it closes when the last one has settled. */
	closing = false;
	/** The database charged it in full, because it was not renewed in time. */
	lost = false;
	/** How long it lasts without being renewed. */
	private readonly lastsMs: number;
	private usableUntil: Moment = { monotonic: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY };

	constructor(id: string, account: string, kind: "slice" | "tally", now: number, lastsMs: number) {
		this.lastsMs = lastsMs;
		this.id = id;
		this.account = account;
		this.kind = kind;
		this.touchedAt = now;
		this.renewedAt = now;
	}

	/** What may still be promised, were the lease usable. */
	get free(): number {
		return this.kind === "tally" ? Number.POSITIVE_INFINITY : this.granted - this.settled - this.held;
	}

	get drained(): boolean {
		return this.running.size === 0;
	}

	/** Something the database does not know yet. */
	get dirty(): boolean {
		return this.settled !== this.written || this.rows.length > 0 || this.granted < this.setAside;
	}

	/** By its own clocks the database cannot have given it up. */
	fresh(now: Moment): boolean {
		return now.monotonic < this.usableUntil.monotonic && now.wall < this.usableUntil.wall;
	}

	usable(now: Moment): boolean {
		return !this.closing && !this.lost && this.fresh(now);
	}

	/** The database holds it for so many milliseconds more, counted from when it was asked. */
	renewed(asked: Moment, remains = this.lastsMs): void {
		this.opened = true;
		this.renewedAt = asked.monotonic - (this.lastsMs - remains);
		if (this.kind === "tally") return;
		const span = remains - marginMs;
		this.usableUntil = { monotonic: asked.monotonic + span, wall: asked.wall + span };
	}

	hold(reservation: Reservation, now: number): void {
		if (this.kind === "slice") this.held += reservation.amount;
		this.running.add(reservation);
		this.touchedAt = now;
	}

	/** Charges what is at most the amount held; the rest is free again. False when the call had been settled before. */
	settle(reservation: Reservation, charge: number, now: number): boolean {
		if (!this.running.delete(reservation)) return false;
		if (this.kind === "slice") this.held -= reservation.amount;
		this.settled += charge;
		this.touchedAt = now;
		return true;
	}
}

/** What a call was charged, and the lease it was charged to: its row is written with it. */
export class LeaseCharge implements Charge {
	readonly charged?: number;
	readonly excess: number;
	readonly lease: Lease;

	/** `charged` is undefined where no price is known. */
	constructor(charged: number | undefined, excess: number, lease: Lease) {
		if (charged !== undefined) this.charged = charged;
		this.excess = excess;
		this.lease = lease;
	}
}
