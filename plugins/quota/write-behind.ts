/**
 * Brings to the database what happened in memory: charges with their ledger rows, every 50 ms while there are any;
 * leases renewed, made smaller, closed when nobody needs them.
 */
import { asRecord, asText, type Clock, describe, type Log, type Statement } from "#core";
import { ChargeBatch } from "./charge-batch.ts";
import type { Lease, Moment } from "./lease.ts";
import type { WaitingCharges } from "./waiting-charges.ts";

/** How soon charges are written, and how often leases are looked at when there are none. */
const busyMs = 50;
const promptMs = 5;
const quietMs = 1_000;
/** After a failure, so that a database that is down is not asked all the time. */
const retryMs = 500;
const roundsAtStop = 5;

/** What is left after so many batches waits for the next round. */
const batchesInRound = 50;

const mostWaiting = 200_000;

export class WriteBehind {
	/** Resolves when a lease that is being made smaller is so in the database. */
	shrinking: Promise<void> | undefined;
	private readonly accounts: WaitingCharges;
	private readonly clock: Clock;
	private readonly log: Log;
	private readonly mostWaiting: number;
	private running: Promise<void> | undefined;
	private cancel: (() => void) | undefined;
	private dueIn = Number.POSITIVE_INFINITY;
	private failing = false;
	private stopped = false;

	constructor(accounts: WaitingCharges, clock: Clock, log: Log, most = mostWaiting) {
		this.mostWaiting = most;
		this.accounts = accounts;
		this.clock = clock;
		this.log = log;
	}

	/** Something has happened that the database should hear of soon. */
	wake(): void {
		const milliseconds = this.failing ? retryMs : busyMs;
		if (milliseconds < this.dueIn) this.schedule(milliseconds);
	}

	private schedule(milliseconds: number): void {
		if (this.stopped || milliseconds >= this.dueIn) return;
		this.cancel?.();
		this.dueIn = milliseconds;
		this.cancel = this.clock.after(milliseconds, this.begin);
	}

	private readonly begin = (): void => {
		this.dueIn = Number.POSITIVE_INFINITY;
		void this.writeOut();
	};

	/** One round, after the one that runs; failures are logged, and what was to be written waits for the next. */
	private async writeOut(): Promise<void> {
		try {
			await this.flush();
			if (this.failing) this.log.info("the database can be written again; charges that waited are written");
			this.failing = false;
		} catch (error) {
			if (!this.failing)
				this.log.error("charges cannot be written to the database; they wait in memory and in the journal", {
					error: describe(error),
					code: asText(asRecord(error)["code"]),
				});
			this.failing = true;
		}
		this.lookHowFarBehind();
		if (this.accounts.leases.size > 0 || this.accounts.loose.length > 0) this.schedule(this.pace());
	}

	private lookHowFarBehind(): void {
		const { accounts, log } = this;
		const rows = accounts.waitingRows();
		const behind = rows >= this.mostWaiting;
		if (behind && !accounts.behind)
			log.error("calls are refused: too many ledger rows wait for the database to be written", { rows });
		if (!behind && accounts.behind) log.info("calls are let through again: fewer ledger rows wait", { rows });
		accounts.behind = behind;
	}

	private pace(): number {
		if (this.failing) return retryMs;
		const waits =
			this.accounts.loose.length > 0 || [...this.accounts.leases].some((lease) => lease.dirty || lease.recalled);
		return waits || this.accounts.store.shared ? busyMs * 2 : quietMs;
	}

	/** Resolves when everything that had happened before the call is in the database. */
	async flush(): Promise<void> {
		await this.running?.catch(() => {});
		if (this.running) return await this.running;
		this.running = this.round().finally(() => {
			this.running = undefined;
		});
		return await this.running;
	}

	private async round(): Promise<void> {
		const waiting = [...this.accounts.leases];
		const now = this.accounts.now();
		// These are only renewed at first: they are charged when the database has said that it still knows them.
		const stale = waiting.filter((lease) => (lease.dirty || lease.recalled) && !lease.fresh(now));
		await this.sendAll(waiting);
		if (stale.length > 0) await this.sendAll(stale);
	}

	private async sendAll(waiting: Lease[]): Promise<void> {
		for (let batches = 0; batches < batchesInRound; batches++) if (!(await this.send(waiting))) return;
		this.schedule(promptMs);
	}

	/** One batch of what waits; true when more did not go into it. A lease that has more than that is put at the end. */
	private async send(waiting: Lease[]): Promise<boolean> {
		const { accounts } = this;
		const now = accounts.now();
		const batch = new ChargeBatch(accounts, now, !this.failing);
		batch.addLoose();
		while (!batch.full) {
			const lease = waiting.shift();
			if (lease === undefined) break;
			if (batch.add(lease) === "more") waiting.push(lease);
		}
		const more = batch.full;
		batch.addAlerts();
		if (batch.empty && accounts.leases.size === 0) return false;
		const shrunk = Promise.withResolvers<void>();
		if (batch.shrinks) this.shrinking = shrunk.promise;
		try {
			// What has been settled is on its way to the disk before the database hears of it.
			accounts.journal.flush();
			const results = await accounts.store.write(batch.close());
			batch.written();
			await this.learn(results.at(-1)?.rows ?? [], batch, now);
		} finally {
			this.shrinking = undefined;
			shrunk.resolve();
		}
		accounts.trim();
		return more;
	}

	/** What the database says of this node's leases: given up, recalled, or granted without the node ever hearing of it. */
	private async learn(
		rows: readonly Readonly<Record<string, unknown>>[],
		batch: ChargeBatch,
		asked: Moment,
	): Promise<void> {
		const { accounts } = this;
		const known = new Map([...accounts.leases].map((lease) => [lease.id, lease]));
		const strangers: Statement[] = [];
		for (const { id, state, recalled } of rows) {
			const lease = known.get(String(id));
			if (!lease) strangers.push(...accounts.statements.close({ id: String(id), settled: 0 }));
			else if (state === "lost") this.lose(lease);
			else if (batch.renewed.has(lease)) lease.renewed(asked);
			if (lease && !lease.lost && recalled === 1) this.recall(lease);
		}
		if (strangers.length > 0) await accounts.store.write(strangers);
	}

	/** Others wait: what no call holds goes back at once. */
	private recall(lease: Lease): void {
		lease.recalled = true;
		if (lease.free > 0) this.schedule(promptMs);
	}

	private lose(lease: Lease): void {
		if (lease.lost) return;
		lease.lost = true;
		this.accounts.retire(lease);
		this.log.warn(
			"this node fell silent for so long that what it had set aside was charged; it is put right when its calls end",
			{
				account: lease.account,
				callsRunning: lease.running.size,
			},
		);
	}

	/** Writes and closes what can be; a lease whose calls still run stays, for the next start to find in the journal. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancel?.();
		let error: unknown;
		for (let round = 0; round < roundsAtStop && this.unfinished(); round++)
			error = await this.flush().then(
				() => undefined,
				(failed: unknown) => failed,
			);
		if (error !== undefined)
			this.log.error("charges could not be written before the stop; the next start writes them", {
				error: describe(error),
			});
	}

	private unfinished(): boolean {
		return this.accounts.loose.length > 0 || [...this.accounts.leases].some((lease) => lease.drained || lease.dirty);
	}
}
