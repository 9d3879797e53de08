/**
 * One budget of bytes for everything that calls hold in memory: request bodies, whole answers, conversations, forms. It is
 * shared fairly by caller: nobody may hold more than is left free, so whoever comes next always finds as much again. All tokens
 * of a person are one caller: they may make as many as they like.
 */
import { type Denial, deny } from "../contract/fault.ts";
import type { HeldBytes } from "../contract/held-bytes.ts";

/** The code of a refusal for want of room: neither the client's fault nor the upstream's. */
export const noRoom = "no_room";

const full: Denial = deny(
	"overloaded",
	"Portico holds as many bytes of requests and answers as it may. Ask again in a moment.",
	{ code: noRoom, retryAfterSeconds: 2, headers: { connection: "close" } },
);

const callerFull: Denial = deny(
	"overloaded",
	"The calls of this token, or of all tokens of its owner, hold as many bytes of requests and answers as they may now. Ask again when some have ended.",
	{ code: noRoom, retryAfterSeconds: 2, headers: { connection: "close" } },
);

/** What all holdings have in common. */
interface Sums {
	readonly total: number;
	readonly ofCaller: Map<string, number>;
	used: number;
}

export class ByteBudget {
	private readonly sums: Sums;

	constructor(total: number) {
		this.sums = { total, ofCaller: new Map(), used: 0 };
	}

	/** Bytes that are held now. */
	get held(): number {
		return this.sums.used;
	}

	/** The most that all may hold. */
	get total(): number {
		return this.sums.total;
	}

	/** The most that one call can ever hold. */
	get largest(): number {
		return Math.floor(this.sums.total / 2);
	}

	/** For a call of this caller. */
	open(caller: string): HeldBytes {
		return new Holding(this.sums, caller);
	}
}

class Holding implements HeldBytes {
	carried = false;
	private readonly sums: Sums;
	private readonly caller: string;
	private bytes = 0;

	constructor(sums: Sums, caller: string) {
		this.sums = sums;
		this.caller = caller;
	}

	hold(bytes: number): Denial | undefined {
		const { sums, caller } = this;
		const own = (sums.ofCaller.get(caller) ?? 0) + bytes;
		const used = sums.used + bytes;
		if (used > sums.total) return full;
		if (own > sums.total - used) return callerFull;
		sums.ofCaller.set(caller, own);
		sums.used = used;
		this.bytes += bytes;
		return undefined;
	}

	giveBack(bytes: number): void {
		const given = Math.min(bytes, this.bytes);
		if (given === 0) return;
		const { sums, caller } = this;
		const own = (sums.ofCaller.get(caller) ?? 0) - given;
		if (own > 0) sums.ofCaller.set(caller, own);
		else sums.ofCaller.delete(caller);
		sums.used -= given;
		this.bytes -= given;
	}

	release(): void {
		this.giveBack(this.bytes);
	}
}
