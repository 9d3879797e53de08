/** What clients spend from: a token with a quota, or a person with a ceiling for all their tokens. Somebody raises and lowers it. */
import { setTimeout as pause } from "node:timers/promises";
import { type Counts, perToken, wrongAtEnd, wrongNow } from "./checks.ts";
import type { Clients } from "./clients.ts";
import type { Account, Books } from "./database.ts";
import { adminToken, type ChaosNode } from "./node.ts";
import type { Random } from "./random.ts";
import type { Counted } from "./upstream.ts";

interface PurseParts extends Account {
	readonly name: string;
	/** The admin route that changes it, and the field of its body. */
	readonly path: string;
	readonly field: "quota" | "ceiling";
	readonly clients: Clients;
	/** What the upstream counts of it. */
	readonly counted: Counted;
	readonly random: Random;
	/** What it is raised by each time, in micro-dollars. */
	readonly portion: number;
}

export class Purse {
	readonly parts: PurseParts;
	/** The highest sum that ever was promised. */
	limit = 0;
	/** The most that clients received beyond what had been promised by then, in micro-dollars. */
	overspent = 0;
	/** Calls that ran on nodes when they were killed. */
	inFlight = 0;
	topUps = 0;
	private amount = 0;

	constructor(parts: PurseParts) {
		this.parts = parts;
	}

	/** Sets another amount, at whatever node is there to hear it; false when none was for twenty seconds, or longer where it is slow to refuse. */
	async set(amount: number, nodes: readonly ChaosNode[]): Promise<boolean> {
		const { path, field } = this.parts;
		this.limit = Math.max(this.limit, amount);
		for (let attempt = 0; attempt < 200; attempt++) {
			const node = nodes.find(({ alive }) => alive);
			const done = await fetch(`${node?.address}${path}`, {
				method: "PATCH",
				signal: AbortSignal.timeout(3_000),
				headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
				body: JSON.stringify({ [field]: amount / 1e6 }),
			}).then(
				(response) => response.ok,
				() => false,
			);
			if (done) {
				this.amount = amount;
				return true;
			}
			await pause(100);
		}
		return false;
	}

	setAgain(nodes: readonly ChaosNode[]): Promise<boolean> {
		return this.set(this.amount, nodes);
	}

	async topUp(nodes: readonly ChaosNode[]): Promise<boolean> {
		const { portion, random } = this.parts;
		this.topUps++;
		// Now and then it is lowered first, below what is used.
		const lowered = random() >= 0.3 || (await this.set(Math.max(0, this.amount - portion * 2), nodes));
		return (await this.set(this.limit + portion, nodes)) && lowered;
	}

	counts(kills: number, refusedBySchema: number): Counts {
		const { received, left } = this.parts.clients.tally;
		const { sent, boasted } = this.parts.counted;
		return { sent, boasted, received, left, kills, inFlight: this.inFlight, limit: this.limit, refusedBySchema };
	}

	/** What is wrong with it now, or when nothing runs any more. */
	wrong(when: "now" | "at the end", books: Books, counts: Counts): string[] {
		this.overspent = Math.max(this.overspent, counts.received * perToken - this.limit);
		// After a crash the accounts of a person and of their tokens are charged one after the other.
		const agreeing = this.parts.tokens.length === 1;
		const found = when === "now" ? wrongNow(books, counts, agreeing) : wrongAtEnd(books, counts);
		return found.map((words) => `${this.parts.name}: ${words}`);
	}
}
