/**
 * All accounts on this node, one for the process whatever is reloaded: calls hold and settle here, in
 * memory and in the journal; the database hears of it soon after.
 */
import { type Clock, deny, describe, Fault, type Log, type Store } from "#core";
import { Account, type Hold, type Need, type Shortage } from "./account.ts";
import type { AccountNode } from "./account-node.ts";
import type { AccountsOptions, Caller } from "./accounts-options.ts";
import { Balances } from "./balances.ts";
import { bootId, isWorthTrimming, type Journal } from "./journal.ts";
import { lines } from "./journal-lines.ts";
import { Lease, LeaseCharge, type Moment, type Reservation } from "./lease.ts";
import { Recalls } from "./recalls.ts";
import { recover } from "./recovery.ts";
import type { LedgerRow, LedgerWriter } from "./service.ts";
import { Statements } from "./statements.ts";
import { ThresholdAlerts } from "./threshold-alerts.ts";
import type { WaitingCharges } from "./waiting-charges.ts";
import { WriteBehind } from "./write-behind.ts";

/** For whoever starts it, perhaps as the disk has stopped it. */
const unbegun =
	"the journal of charges cannot be begun, for the data folder takes nothing; make room on its disk, and see to it that this user may write there: ";

export class Accounts implements AccountNode, WaitingCharges {
	readonly store: Store;
	readonly statements: Statements;
	readonly holder = `node_${crypto.randomUUID()}`;
	readonly leases = new Set<Lease>();
	readonly alerts = new ThresholdAlerts();
	readonly journal: Journal;
	readonly balances: Balances;
	writer: LedgerWriter | undefined;
	/** Rows of calls that were charged nothing. */
	loose: LedgerRow[] = [];
	/** So many rows wait for the database that no more calls are let through: each is held in memory and in the journal. */
	behind = false;
	private readonly byName = new Map<string, Account>();
	private readonly recalls: Recalls;
	private readonly clock: Clock;
	private readonly log: Log;
	private readonly options: AccountsOptions;
	private readonly writeBehind: WriteBehind;
	private readonly boot: string;
	private opening: Promise<void> | undefined;

	constructor(options: AccountsOptions) {
		this.options = options;
		this.store = options.store;
		this.clock = options.clock;
		this.boot = options.boot ?? bootId();
		this.log = options.log;
		this.statements = options.statements ?? new Statements();
		this.balances = new Balances({ store: this.store, flush: () => this.flush() });
		this.recalls = new Recalls(this.store, this.clock, this.statements, this.holder);
		this.journal = options.journals.begin(this.holder, (error) =>
			this.log.error("the journal cannot be written; calls under a quota are refused until it can", {
				error: describe(error),
			}),
		);
		this.writeBehind = new WriteBehind(this, options.clock, options.log, options.mostWaiting);
	}

	/** Charges what an earlier process left in its journal, then begins one of its own. Once for the process. */
	open(): Promise<void> {
		this.opening ??= this.goOn().catch((error: unknown) => {
			this.opening = undefined;
			throw error;
		});
		return this.opening;
	}

	private async goOn(): Promise<void> {
		const { boot, statements, holder, alerts } = this;
		try {
			this.journal.restart([lines.start(boot)]);
		} catch (error) {
			throw new Fault(deny("internal", unbegun + describe(error)), error);
		}
		const told = alerts.crossed.bind(alerts);
		await recover({ ...this.options, statements, boot, except: holder, writer: () => this.writer, told });
	}

	now(): Moment {
		return { monotonic: this.clock.monotonic(), wall: this.clock.now() };
	}

	accountOf(name: string): Account {
		const known = this.byName.get(name);
		if (known) return known;
		const account = new Account(name, this);
		this.byName.set(name, account);
		return account;
	}

	/** What calls cost that are not limited is counted on it. */
	tallyOf(name: string): Lease {
		const account = this.accountOf(name);
		account.setting = undefined;
		const known = account.tally;
		account.tally = known && !known.closing && !known.lost ? known : this.begin(name, "tally");
		return account.tally;
	}

	/** Holds what its lease was found to have a moment ago; nothing may be sent upstream before `journal.kept()`. */
	take(reservation: Reservation, heldInWords: string, now: Moment): void {
		reservation.lease.hold(reservation, now.monotonic);
		this.journal.soon(lines.hold(reservation, heldInWords));
	}

	/**
	 * Holds what the call may cost, from the node's slice where that suffices. Rejects when the database cannot be reached
	 * or the journal cannot be written; nothing may be sent upstream before it resolves.
	 */
	async reserve(caller: Caller, need: Need, quota: number): Promise<Reservation | Shortage> {
		const account = this.accountOf(caller.account);
		const hold: Hold = (lease, amount) => this.hold(caller, lease, amount, this.now());
		const changed = account.setting !== undefined && account.setting !== quota;
		account.setting = quota;
		if (changed) {
			if (account.slice) account.slice.recalled = true;
			await this.flush();
		}
		const held = (changed ? undefined : account.take(need, hold)) ?? (await account.acquire(need, quota, hold));
		if ("left" in held) return held;
		caller.promised?.(held.amount);
		try {
			this.journal.soon(lines.reserved(held));
			await this.journal.kept();
		} catch (error) {
			// What could not be written down was never promised.
			if (held.lease.settle(held, 0, this.clock.monotonic())) this.journal.soon(lines.settled(held, 0));
			throw error;
		}
		this.writeBehind.wake();
		return held;
	}

	/** Sets aside in memory; it counts as promised once it is in the journal. `watermark`: what a crash would charge, if not all of it. */
	private hold({ id, model }: Caller, lease: Lease, amount: number, now: Moment, watermark?: number): Reservation {
		const reservation = { id, lease, amount, model, at: now.wall, watermark };
		lease.hold(reservation, now.monotonic);
		return reservation;
	}

	/** Without a limit nothing is held, the cost is counted. A crash charges what the call holds `beside`, on other accounts. */
	follow(caller: Caller, beside = 0): Reservation {
		const reservation = this.hold(caller, this.tallyOf(caller.account), Number.POSITIVE_INFINITY, this.now(), beside);
		if (beside > 0) this.journal.soon(lines.reserved(reservation));
		return reservation;
	}

	/**
	 * From now on a crash charges this much, which must be no less than what is delivered until the next watermark. It is
	 * on the disk when this turn of the event loop ends; until then the one before has to suffice.
	 */
	watermark(reservation: Reservation, amount: number): void {
		const least = Math.min(amount, reservation.amount);
		if (least === (reservation.watermark ?? reservation.amount)) return;
		reservation.watermark = least;
		this.journal.soon(lines.watermark(reservation, least));
	}

	/**
	 * Charges the cost of a call, at most what it held and at most `most`, and nothing where it is not known. Exactly once:
	 * a second time changes nothing.
	 */
	settle(reservation: Reservation, cost: number | undefined, most = reservation.amount): LeaseCharge {
		const { lease } = reservation;
		const charged = Math.min(cost ?? 0, most, reservation.amount);
		if (!lease.settle(reservation, charged, this.clock.monotonic())) return new LeaseCharge(0, 0, lease);
		this.journal.soon(lines.settled(reservation, charged));
		this.writeBehind.wake();
		return new LeaseCharge(cost === undefined ? undefined : charged, (cost ?? 0) - charged, lease);
	}

	/** Keeps a ledger row: written with the charge it explains. */
	record(lease: Lease | undefined, row: LedgerRow): void {
		(lease?.rows ?? this.loose).push(row);
		this.journal.soon(lines.row(lease, row));
		this.writeBehind.wake();
	}

	/** A call was refused for want of money: whoever is to be told of it is told. */
	refuse(account: string, limit: number): void {
		if (this.alerts.refuse(account, limit)) this.writeBehind.wake();
	}

	waitingRows(): number {
		let rows = this.loose.length;
		for (const lease of this.leases) rows += lease.rows.length;
		return rows;
	}

	flush(): Promise<void> {
		return this.writeBehind.flush();
	}

	begin(account: string, kind: Lease["kind"]): Lease {
		const [id, now] = [`lease_${crypto.randomUUID()}`, this.clock.monotonic()];
		const lease = new Lease(id, account, kind, now, this.statements.leaseMs);
		this.journal.now(lines.leased(lease));
		this.leases.add(lease);
		this.writeBehind.wake();
		return lease;
	}

	retire(lease: Lease): void {
		lease.closing = true;
		this.byName.get(lease.account)?.release(lease);
		this.writeBehind.wake();
	}

	/** Nothing of it matters any more. */
	forget(lease: Lease): void {
		this.leases.delete(lease);
		this.journal.soon(lines.closed(lease));
		const account = this.byName.get(lease.account);
		if (account?.unused) this.byName.delete(lease.account);
	}

	isGrowing(lease: Lease): boolean {
		return this.byName.get(lease.account)?.grows(lease) === true;
	}

	keepAhead({ account }: Lease): void {
		this.accountOf(account).keepAhead();
	}

	recall(account: string): Promise<void> {
		return this.recalls.of(account);
	}

	/** Frees what no call holds, on every node: for what is to be held in the database itself. */
	async release(account: string): Promise<void> {
		const slice = this.byName.get(account)?.slice;
		if (slice) slice.recalled = true;
		await this.flush();
		if (this.store.shared) await this.recall(account);
	}

	shrinking(): Promise<void> | undefined {
		return this.writeBehind.shrinking;
	}

	/** Begins the journal anew when it has grown, with what still matters. */
	trim(): void {
		const running = [...this.leases].reduce((sum, lease) => sum + lease.running.size + lease.rows.length, 0);
		if (!isWorthTrimming(this.journal.size, running)) return;
		this.journal.restart(lines.anew(this.boot, [...this.leases], this.loose));
	}

	/** Gives back what no call holds, and removes the journal when nothing is left in it. */
	async close(): Promise<void> {
		for (const lease of this.leases) this.retire(lease);
		await this.writeBehind.stop();
		this.journal.close(this.leases.size === 0 && this.loose.length === 0);
	}
}
