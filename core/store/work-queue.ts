/**
 * Work that outlives its process: rows of a table that become due at some time, each claimed by one node at a time under
 * a lease. Claims what there is room for, renews what it holds, takes over the work of nodes that died, and sleeps until the
 * next row is due. What a claim is in SQL, and what is done, belongs to the table's plugin.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../contract/clock.ts";
import { describe } from "../errors/describe.ts";

/** Rows that were claimed together and whose work has begun. */
export interface ClaimedWork {
	readonly ids: readonly string[];
	/** Settles once what became of them is written down; rejected, it is told to `failed`. */
	readonly ended: Promise<void>;
}

export interface WorkQueueOptions {
	readonly clock: Clock;
	/** The time in which rows become due, in milliseconds since 1970. */
	now(): number;
	/** How long a claim holds without being renewed, in milliseconds. */
	readonly leaseMs: number;
	/**
	 * Claims due rows under the lease, which is never used twice, and begins their work; `held` are the rows that this
	 * process works on. Undefined when nothing is due, or there is no room for it.
	 */
	claim(lease: string, held: Iterable<string>): Promise<readonly ClaimedWork[] | undefined>;
	/** When the next row becomes due, of those that are not. */
	nextDue(now: number): Promise<number | undefined>;
	/** Lengthens the leases; absent where no work takes as long as a lease. */
	renew?(leases: readonly string[]): Promise<void>;
	/** Makes due what a node has claimed that is gone; absent where a claim sees to it. */
	recover?(held: readonly string[]): Promise<unknown>;
	/**
	 * Told when leases could not be lengthened, or work not be ended; when rows could not be claimed, which is tried again at the
	 * next tick, once for as long as the reason is the same.
	 */
	failed(error: unknown): void;
}

export class WorkQueue {
	private readonly options: WorkQueueOptions;
	/** What this process works on: leases by row. */
	private readonly held = new Map<string, string>();
	private readonly running = new Set<Promise<void>>();
	private claiming: Promise<void> | undefined;
	private again = false;
	private stopped = false;
	/** Aborted when another queue is to look for what is due from now on. */
	private others: AbortSignal | undefined;
	/** Nobody waits for what is under way any more. */
	private left = false;
	private cancelTimer: (() => void) | undefined;
	private renewing = false;
	/** Why rows could not be claimed the last time. */
	private unclaimed: string | undefined;

	constructor(options: WorkQueueOptions) {
		this.options = options;
	}

	/** It claims nothing any more. */
	private get over(): boolean {
		return this.stopped || this.others?.aborted === true;
	}

	/** Looks for due rows now. */
	wake(): void {
		if (this.over) return;
		this.again = true;
		this.claiming ??= this.claimAll();
	}

	/** To be called every second; with the signal of its job it claims nothing once a reload has ended that. */
	async tick(others?: AbortSignal): Promise<void> {
		this.others = others;
		if (this.over) return;
		await this.options.recover?.([...this.held.keys()]);
		this.wake();
	}

	/** Settles when what is due has been claimed, as far as there is room. */
	async claimed(): Promise<void> {
		await this.claiming;
	}

	/** Claims nothing more; settles when what is under way has ended, or must end: then leases are left to run out. */
	async stop(mustEnd?: AbortSignal): Promise<void> {
		this.stopped = true;
		this.cancelTimer?.();
		await this.claiming;
		const ended = Promise.all(this.running);
		if (!mustEnd) return void (await ended);
		const late = new Promise<void>((resolve) => {
			if (mustEnd.aborted) resolve();
			else mustEnd.addEventListener("abort", () => resolve(), { once: true });
		});
		await Promise.race([ended, late]);
		this.left = mustEnd.aborted;
	}

	private async claimAll(): Promise<void> {
		try {
			while (this.again && !this.over) {
				// Much ends together: one look for all of it.
				await undefined;
				this.again = false;
				let lookedAt: number;
				do lookedAt = this.options.now();
				while (!this.over && (await this.claimSome()));
				await this.sleepUntilNext(lookedAt);
			}
			this.unclaimed = undefined;
		} catch (error) {
			const why = describe(error);
			if (why !== this.unclaimed) this.options.failed(error);
			this.unclaimed = why;
		}
		this.claiming = undefined;
	}

	/** True when something was claimed, so that there may be more. */
	private async claimSome(): Promise<boolean> {
		const lease = randomUUID();
		const claimed = await this.options.claim(lease, this.held.keys());
		for (const work of claimed ?? []) this.hold(work, lease);
		return claimed !== undefined;
	}

	private hold({ ids, ended }: ClaimedWork, lease: string): void {
		for (const id of ids) this.held.set(id, lease);
		this.renewLater();
		const running = ended.catch(this.options.failed).then(() => {
			for (const id of ids) this.held.delete(id);
			this.running.delete(running);
			this.wake();
		});
		this.running.add(running);
	}

	/** By the clock and not by `tick`, which nobody calls any more while a stopped queue waits for its work to end. */
	private renewLater(): void {
		const { clock, leaseMs, renew, failed } = this.options;
		if (!renew || this.renewing || this.held.size === 0 || this.left) return;
		this.renewing = true;
		clock.after(leaseMs / 3, async () => {
			if (this.held.size > 0 && !this.left) await renew([...new Set(this.held.values())]).catch(failed);
			this.renewing = false;
			this.renewLater();
		});
	}

	/** `lookedAt`: when due rows were last looked for. What has become due since then is due at once. */
	private async sleepUntilNext(lookedAt: number): Promise<void> {
		const { clock, nextDue, now } = this.options;
		const due = await nextDue(lookedAt);
		this.cancelTimer?.();
		this.cancelTimer = undefined;
		if (due === undefined || this.over) return;
		this.cancelTimer = clock.after(Math.max(0, due - now()), () => this.wake());
	}
}
