/** One account on this node: its slice of what may be spent, and how more is got when the slice does not suffice. */
import type { AccountNode } from "./account-node.ts";
import { CallsAhead } from "./calls-ahead.ts";
import type { Lease, Moment, Reservation } from "./lease.ts";
import { count } from "./numbers.ts";
import { SpendingPace } from "./spending-pace.ts";

/** What a call needs: no less than `least` is of use, no more than `most` is wanted. */
export interface Need {
	readonly least: number;
	readonly most: number;
	/** Take all that is left rather than a fair share of it. */
	readonly greedy?: boolean;
	/** Nothing beyond `most`, for no call waits. */
	readonly ahead?: boolean;
}

/** Nothing to be had. `left` is what has not been charged yet: more than is free while running calls hold something. */
export interface Shortage {
	readonly left: number;
}

/** Holds an amount of a lease for one call. Called before anything is awaited after the amount was found to be free. */
export type Hold = (lease: Lease, amount: number) => Reservation;

/** What the database said of an account when it was asked for more. */
interface Position {
	/** Quota less charges, the database's and those it has not heard of. */
	readonly left: number;
	/** What could still be granted. */
	readonly available: number;
	/** Set aside elsewhere: for other nodes and for tasks. */
	readonly elsewhere: number;
}

/** How long an answer about what was charged is good enough to refuse a body by. */
const usedKnownMs = 1_000;
/** How long no large body is read of a token that had too little left. */
const refusalCountsMs = 60_000;
const recallsBeforeRefusal = 2;
/** What one call finds others may take away before it; after so many attempts it is told to come back. */
const questionsBeforeRefusal = 20;

export class Account {
	readonly name: string;
	slice: Lease | undefined;
	tally: Lease | undefined;
	/** The setting as the last call brought it: a change means that the database has another quota now. */
	setting: number | undefined;
	private readonly node: AccountNode;
	private growing: Promise<Position> | undefined;
	private grown: Lease | undefined;
	/** A slice the database has not been heard to grant. */
	private next: Lease | undefined;
	/** There was nothing to be had the last time: then look before writing. */
	private dry = false;
	private waiting = 0;
	private readonly callsAhead = new CallsAhead();
	private readonly pace = new SpendingPace();
	/** What the database had charged when it was last asked before a body. */
	private charged: { readonly used: number; readonly at: number } | undefined;
	/** When a call was last refused for good, and under which quota. */
	private refused: { readonly quota: number; readonly at: number } | undefined;

	constructor(name: string, node: AccountNode) {
		this.name = name;
		this.node = node;
	}

	/** A question to the database is under way, whose answer may make this lease larger. */
	grows(lease: Lease): boolean {
		return this.grown === lease;
	}

	get unused(): boolean {
		return this.growing === undefined && this.waiting === 0 && !this.slice && !this.tally && !this.next;
	}

	/** A call was refused because too little is left. */
	refuse(quota: number): void {
		this.refused = { quota, at: this.node.now().monotonic };
	}

	/** Whether a call was refused lately for want of quota, which nobody has raised since. */
	wasRefused(quota: number): boolean {
		const { refused } = this;
		return refused?.quota === quota && this.node.now().monotonic - refused.at < refusalCountsMs;
	}

	/** Whether all of the quota is charged. Where nothing is free here the database is asked, once a second at most. */
	isUsedUp(quota: number): boolean | Promise<boolean> {
		if (quota <= 0) return true;
		if (this.slice !== undefined && this.slice.free > 0) return false;
		const now = this.node.now().monotonic;
		if (this.charged !== undefined && now - this.charged.at < usedKnownMs) return this.charged.used >= quota;
		return this.isCharged(quota, now);
	}

	private async isCharged(quota: number, at: number): Promise<boolean> {
		const [row] = await this.node.store.all(this.node.statements.balance(this.name));
		const used = count(row?.["used"]) ?? 0;
		this.charged = { used, at };
		return used >= quota;
	}

	/** Fills the slice up before it is spent. A database that is away is nobody's concern here. */
	keepAhead(): void {
		const { slice, setting } = this;
		const wanted = slice && this.pace.lacking(slice, this.node.now().monotonic);
		if (wanted === undefined || setting === undefined || this.growing || this.dry) return;
		this.ask({ least: 0, most: wanted, ahead: true }, setting).catch(() => undefined);
	}

	/** The slice, when the whole of it is there. The database is to hear of another setting first. */
	sliceWith(amount: number, now: Moment, setting = this.setting): Lease | undefined {
		const { slice } = this;
		if (slice === undefined || setting !== this.setting) return undefined;
		return slice.free >= amount && slice.usable(now) ? slice : undefined;
	}

	/** At once, when the slice has the whole of what is wanted. */
	take({ most }: Need, hold: Hold): Reservation | undefined {
		const slice = this.sliceWith(most, this.node.now());
		return slice && hold(slice, most);
	}

	/** Asks the database for more, and the other nodes before it gives up. Rejects when the database cannot be reached. */
	async acquire(need: Need, quota: number, hold: Hold): Promise<Reservation | Shortage> {
		this.waiting += need.most;
		try {
			for (let questions = 1, recalls = 0; ; questions++) {
				const position = await this.ask(need, quota);
				const taken = this.take(need, hold) ?? this.takeLess(need, hold);
				if (taken) return taken;
				const more = position.available + (this.slice?.free ?? 0) >= need.least;
				if (more && questions < questionsBeforeRefusal) continue;
				const othersMayGive = this.node.store.shared && position.elsewhere > 0 && position.left >= need.least;
				if (!othersMayGive || ++recalls > recallsBeforeRefusal) return { left: position.left };
				await this.node.recall(this.name);
			}
		} finally {
			this.waiting -= need.most;
		}
	}

	/** What is there, when it is of use at all. */
	private takeLess({ least, most }: Need, hold: Hold): Reservation | undefined {
		const { slice } = this;
		if (slice === undefined || slice.free < least || !slice.usable(this.node.now())) return undefined;
		return hold(slice, Math.min(slice.free, most));
	}

	/** One question to the database at a time; who comes meanwhile shares its answer. */
	private async ask(need: Need, quota: number): Promise<Position> {
		if (this.growing) return await this.growing;
		const question = this.grow(need, quota).finally(() => {
			this.growing = undefined;
			this.grown = undefined;
		});
		this.growing = question;
		return await question;
	}

	private async grow(need: Need, quota: number): Promise<Position> {
		const { store, statements, holder } = this.node;
		await this.giveBackStale();
		// Looked at again: another may have begun to shrink by the time that this one is seen to have ended.
		for (let shrinks = this.node.shrinking(); shrinks; shrinks = this.node.shrinking()) await shrinks;
		const asked = this.node.now();
		this.next ??= this.node.begin(this.name, "slice");
		const lease = this.slice ?? this.next;
		this.grown = lease;
		const free = Math.max(0, lease.free);
		const least = Math.max(0, need.least - free);
		const exactly = need.greedy || need.ahead;
		const want = (exactly ? need.most : Math.max(need.most * this.callsAhead.at(asked.monotonic), this.waiting)) - free;
		if (this.dry || want <= 0) {
			const position = this.learn(lease, asked, (await store.all(statements.position(this.name, lease.id)))[0] ?? {});
			if (position.available < least || want <= 0) return position;
		}
		const results = await store.write([
			statements.account(this.name, quota),
			...statements.grant({
				id: lease.id,
				account: this.name,
				holder,
				granted: lease.opened ? lease.setAside : undefined,
				least,
				want,
				greedy: need.greedy === true,
			}),
			statements.position(this.name, lease.id),
		]);
		const position = this.learn(lease, asked, results.at(-1)?.rows[0] ?? {});
		this.dry = position.available < least && lease.free < need.least;
		return position;
	}

	/** After a sleep of the machine the slice is out of its time: what no call holds of it is not to be missing now. */
	private async giveBackStale(): Promise<void> {
		const { slice } = this;
		if (slice === undefined || slice.usable(this.node.now())) return;
		slice.recalled = true;
		this.retire();
		await this.node.flush();
	}

	/** Takes in what the database says of the account and of the lease that was to grow. */
	private learn(lease: Lease, asked: Moment, row: Readonly<Record<string, unknown>>): Position {
		const granted = count(row["granted"]) ?? 0;
		const settled = count(row["settled"]) ?? 0;
		const open = row["state"] === "open";
		if (open) {
			lease.renewed(asked, count(row["remains"]) ?? 0);
			lease.granted = granted;
			lease.setAside = granted;
			this.adopt(lease);
		} else if (lease.opened) {
			lease.lost = row["state"] === "lost";
			if (this.slice === lease) this.retire();
		}
		const quota = count(row["quota"]) ?? Number.POSITIVE_INFINITY;
		const used = count(row["used"]) ?? 0;
		const leased = count(row["leased"]) ?? 0;
		const unwritten = open ? lease.settled - settled : 0;
		return {
			left: quota - used - unwritten,
			available: quota - used - leased,
			elsewhere: leased - (open ? granted - settled : 0),
		};
	}

	private adopt(lease: Lease): void {
		if (this.next === lease) this.next = undefined;
		if (!lease.closing) this.slice = lease;
	}

	/** The slice is to be closed; the next call gets a new one. */
	private retire(): void {
		if (this.slice) this.node.retire(this.slice);
	}

	/** No call is to use this lease any more. */
	release(lease: Lease): void {
		if (this.slice === lease) this.slice = undefined;
		if (this.tally === lease) this.tally = undefined;
		if (this.next === lease) this.next = undefined;
	}
}
