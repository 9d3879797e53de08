/**
 * One budget of bytes for everything that calls hold in memory: request bodies, whole answers, conversations, forms. It is
 * shared fairly by token: nobody may hold more than is left free, so whoever comes next always finds as much again.
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

const tokenFull: Denial = deny(
	"overloaded",
	"The calls of this token hold as many bytes of requests and answers as one token may now. Ask again when some have ended.",
	{ code: noRoom, retryAfterSeconds: 2, headers: { connection: "close" } },
);

/** What all holdings have in common. */
interface Sums {
	readonly total: number;
	readonly ofToken: Map<string, number>;
	used: number;
}

export class ByteBudget {
	private readonly sums: Sums;

	constructor(total: number) {
		this.sums = { total, ofToken: new Map(), used: 0 };
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

	/** For a call of this token. */
	open(token: string): HeldBytes {
		return new Holding(this.sums, token);
	}
}

class Holding implements HeldBytes {
	carried = false;
	private readonly sums: Sums;
	private readonly token: string;
	private bytes = 0;

	constructor(sums: Sums, token: string) {
		this.sums = sums;
		this.token = token;
	}

	hold(bytes: number): Denial | undefined {
		const { sums, token } = this;
		const own = (sums.ofToken.get(token) ?? 0) + bytes;
		const used = sums.used + bytes;
		if (used > sums.total) return full;
		if (own > sums.total - used) return tokenFull;
		sums.ofToken.set(token, own);
		sums.used = used;
		this.bytes += bytes;
		return undefined;
	}

	giveBack(bytes: number): void {
		const given = Math.min(bytes, this.bytes);
		if (given === 0) return;
		const { sums, token } = this;
		const own = (sums.ofToken.get(token) ?? 0) - given;
		if (own > 0) sums.ofToken.set(token, own);
		else sums.ofToken.delete(token);
		sums.used -= given;
		this.bytes -= given;
	}

	release(): void {
		this.giveBack(this.bytes);
	}
}
