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

export class ByteBudget {
	private readonly total: number;
	private readonly ofToken = new Map<string, number>();
	private used = 0;

	constructor(total: number) {
		this.total = total;
	}

	/** Bytes that are held now. */
	get held(): number {
		return this.used;
	}

	/** The most that one call can ever hold. */
	get largest(): number {
		return Math.floor(this.total / 2);
	}

	/** For a call of this token. */
	open(token: string): HeldBytes {
		return new Holding(this, token);
	}

	take(token: string, bytes: number): Denial | undefined {
		const own = (this.ofToken.get(token) ?? 0) + bytes;
		const used = this.used + bytes;
		if (used > this.total) return full;
		if (own > this.total - used) return tokenFull;
		this.ofToken.set(token, own);
		this.used = used;
		return undefined;
	}

	give(token: string, bytes: number): void {
		const own = (this.ofToken.get(token) ?? 0) - bytes;
		if (own > 0) this.ofToken.set(token, own);
		else this.ofToken.delete(token);
		this.used -= bytes;
	}
}

class Holding implements HeldBytes {
	carried = false;
	private readonly budget: ByteBudget;
	private readonly token: string;
	private bytes = 0;

	constructor(budget: ByteBudget, token: string) {
		this.budget = budget;
		this.token = token;
	}

	carry(): void {
		this.carried = true;
	}

	hold(bytes: number): Denial | undefined {
		const denial = this.budget.take(this.token, bytes);
		if (!denial) this.bytes += bytes;
		return denial;
	}

	giveBack(bytes: number): void {
		const given = Math.min(bytes, this.bytes);
		if (given === 0) return;
		this.budget.give(this.token, given);
		this.bytes -= given;
	}

	release(): void {
		if (this.bytes > 0) this.budget.give(this.token, this.bytes);
		this.bytes = 0;
	}
}
