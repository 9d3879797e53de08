/**
 * A world in which quotas are spent: nodes over one database, time that the test moves, and an oracle on a single thread
 * that counts what the upstream delivered. Nodes can die, be stopped, come back; the database can lose replies.
 */

import { sql } from "drizzle-orm";
import type { Log } from "#core";
import type { Shortage } from "../../plugins/quota/account.ts";
import { Accounts } from "../../plugins/quota/accounts.ts";
import type { Reservation } from "../../plugins/quota/lease.ts";
import type { LedgerRow, LedgerWriter } from "../../plugins/quota/service.ts";
import { Statements } from "../../plugins/quota/statements.ts";
import { quotaTables } from "../../plugins/quota/tables.ts";
import { reserveTask } from "../../plugins/quota/tasks.ts";
import { MemoryJournals } from "./memory-journals.ts";
import { MovingClock, settle } from "./moving-clock.ts";
import { type Faults, SqliteDatabase, sqlTime } from "./sqlite-store.ts";

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => quiet };

const rowsTable = {
	plugin: "rows",
	migrations: [
		{
			name: "001",
			statements: ["CREATE TABLE rows (id TEXT PRIMARY KEY, token TEXT NOT NULL, cost INTEGER NOT NULL) STRICT"],
		},
	],
};

/** The ledger of the tests: an id, a token, a cost. */
const rowWriter: LedgerWriter = {
	statements: (rows) =>
		rows.map(
			({ id, token, cost }) =>
				sql`INSERT INTO rows (id, token, cost) VALUES (${id}, ${token}, ${cost}) ON CONFLICT (id) DO NOTHING`,
		),
	correction: ({ id, tokenId, amount }): LedgerRow => ({ id, token: tokenId, cost: amount }),
};

/** A call the upstream is answering. */
export interface WorldCall {
	readonly id: string;
	readonly node: WorldNode;
	readonly token: string;
	readonly reservation: Reservation;
	/** What the upstream delivered so far. */
	delivered: number;
}

export interface WorldNode {
	accounts: Accounts;
	readonly clock: MovingClock;
	readonly journals: MemoryJournals;
	readonly faults: ("lost_reply" | "failed" | "failed_after_commit")[];
	alive: boolean;
	stopped: boolean;
	/** Ends the store of a process that died. */
	dead: { value: boolean };
	/** The boot of its machine: another one after a loss of power. */
	boot: string;
}

export interface WorldOptions {
	readonly nodes: number;
	readonly statements?: (now: ReturnType<typeof sqlTime>) => Statements;
	/** What a restarted node finds of its journal. */
	readonly alterJournal?: (line: string) => boolean;
}

/** How long leases last in these worlds: as short as may be set, so that they are lost now and then. */
export const shortLeaseMs = 10_000;

/** The most a call of an unlimited token uses. */
const unheldCall = 1_000;

/** One database for many worlds: making tables costs more than a world. */
const database = new SqliteDatabase(quotaTables("quota"), rowsTable);
let worlds = 0;

export class World {
	readonly nodes: WorldNode[] = [];
	readonly calls = new Set<WorldCall>();
	readonly tasks = new Map<string, { readonly token: string; readonly amount: number }>();
	/** Everything the upstream delivered, by token. */
	readonly delivered = new Map<string, number>();
	/** What nodes had set aside and not yet charged when they died: the most that may be charged beyond what was delivered. */
	overcharge = 0;
	/** What upstreams said they used beyond what they delivered, and was charged because it had been reserved. */
	overreported = 0;
	/** Writes that failed though no fault was planned: the schema refused something. */
	readonly refusals: string[] = [];
	/** Called after every write of a node, with how many statements it had. */
	watch: ((statements: number) => void) | undefined;
	readonly prefix = `w${++worlds}_`;
	/** Tokens that had no limit for a while. */
	readonly everUnlimited = new Set<string>();
	private readonly limits = new Map<string, number>();
	private readonly options: WorldOptions;
	private readonly statements: Statements;
	private time = 1_000_000;
	private serial = 0;

	constructor(options: WorldOptions) {
		this.options = options;
		const now = sqlTime(() => this.time);
		this.statements = options.statements?.(now) ?? new Statements(now, shortLeaseMs);
	}

	async open(): Promise<void> {
		for (let index = 0; index < this.options.nodes; index++) {
			const node: WorldNode = {
				accounts: undefined as unknown as Accounts,
				clock: new MovingClock(),
				journals: new MemoryJournals(this.options.alterJournal),
				faults: [],
				alive: false,
				stopped: false,
				dead: { value: false },
				boot: "boot",
			};
			this.nodes.push(node);
			await this.start(node);
		}
	}

	/** A process begins on the node, and charges what the one before it left. */
	async start(node: WorldNode): Promise<void> {
		if (node.alive) return;
		const dead = { value: false };
		node.dead = dead;
		const faults: Faults = { next: () => (dead.value ? "failed" : (node.faults.shift() ?? "none")) };
		const store = database.open({ shared: this.options.nodes > 1, faults });
		const write = store.write.bind(store);
		store.write = async (statements) => {
			const written = await write(statements).catch((error: unknown) => {
				if (error instanceof Error && error.message !== "the database is down") this.refusals.push(error.message);
				throw error;
			});
			this.watch?.(statements.length);
			return written;
		};
		node.accounts = new Accounts({
			store,
			clock: node.clock,
			log: quiet,
			journals: node.journals,
			statements: this.statements,
			boot: node.boot,
		});
		node.accounts.writer = rowWriter;
		node.alive = true;
		node.stopped = false;
		for (let attempt = 0; attempt < 5; attempt++)
			if (
				await node.accounts.open().then(
					() => true,
					() => false,
				)
			)
				return;
	}

	/** kill -9. `turned`: the turn of the event loop had ended, so charges that were to be written soon had been. */
	kill(node: WorldNode, turned: boolean): void {
		if (!node.alive) return;
		if (turned) node.journals.turn();
		node.journals.kill(node.accounts.holder);
		node.dead.value = true;
		node.alive = false;
		const [held] = database.rows(
			"SELECT coalesce(sum(iif(state = 'lost', granted, granted - settled)), 0) AS amount FROM quota_leases WHERE holder = ? AND state <> 'closed'",
			node.accounts.holder,
		);
		this.overcharge += Number(held?.["amount"]);
		for (const call of this.calls) if (call.node === node) this.calls.delete(call);
	}

	/** The machine loses power, and with it the end of the journal. */
	cut(node: WorldNode, lines: number): void {
		if (!node.alive) return;
		this.kill(node, true);
		node.journals.lose(node.accounts.holder, lines);
		node.boot += "'";
	}

	/** A task asks; it is created when it is let through. */
	askTask(node: WorldNode, token: string, amount: number): void {
		if (!node.alive || node.stopped) return;
		const id = `${this.prefix}k${++this.serial}`;
		void reserveTask(node.accounts, { id: token, compiled: new Map() }, amount, id, 0).then(
			(answer) => {
				if (!("keep" in answer)) return;
				try {
					database.write(answer.keep());
					this.tasks.set(id, { token, amount });
				} catch {
					// It came too late: the hold had been given up, so the task is not created.
				}
			},
			() => {},
		);
	}

	/** A task ends, on whatever node: its cost, at most what was held, its row and the rest in one batch. */
	endTask(id: string, cost: number): void {
		const task = this.tasks.get(id);
		if (!task) return;
		this.tasks.delete(id);
		const charged = Math.min(cost, task.amount);
		this.delivered.set(task.token, (this.delivered.get(task.token) ?? 0) + charged);
		const row = rowWriter.statements([{ id, token: task.token, cost: charged }]);
		// The reply may be lost: the batch is written twice.
		for (let time = 0; time < 2; time++) database.write([this.statements.settleTask(id, cost), ...row]);
	}

	/** The database is one from before anything was leased from an account, as when a backup takes its place. */
	loseLeases(token: string): void {
		database.write([
			sql`DELETE FROM quota_leases WHERE token = ${token}`,
			sql`UPDATE quota_accounts SET used = 0, leased = 0 WHERE token = ${token}`,
		]);
	}

	/** The database is a backup of itself, that was put in its place. */
	restoreAsItIs(): void {
		for (const statement of quotaTables("quota").restored ?? []) database.write([sql.raw(statement)]);
	}

	/** What the operator sets; undefined is unlimited. */
	setQuota(token: string, quota: number | undefined): void {
		const [before] = database.rows("SELECT used, leased FROM quota_accounts WHERE token = ?", token);
		const committed = Number(before?.["used"] ?? 0) + Number(before?.["leased"] ?? 0);
		// What calls without a limit used, the database may not have heard of, however often the quota changes meanwhile.
		const unheard = (this.delivered.get(token) ?? 0) + Number(before?.["leased"] ?? 0);
		const promised = this.everUnlimited.has(token) ? Math.max(committed, unheard) : committed;
		if (quota === undefined) this.everUnlimited.add(token);
		database.write(this.statements.setQuota(token, quota ?? null));
		// Calls that began while the token was unlimited may still cost something.
		const unheld = [...this.calls].filter((call) => call.token === token && !Number.isFinite(call.reservation.amount));
		const limit =
			quota === undefined ? Number.POSITIVE_INFINITY : Math.max(quota, promised + unheld.length * unheldCall);
		this.limits.set(token, limit);
		this.settings.set(token, quota);
	}

	readonly settings = new Map<string, number | undefined>();

	/** A call asks; when it is let through the upstream begins to answer. */
	ask(node: WorldNode, token: string, least: number, most: number): void {
		if (!node.alive || node.stopped) return;
		const id = `${this.prefix}c${++this.serial}`;
		const caller = { id, account: token, model: "m" };
		const { accounts } = node;
		const setting = this.settings.get(token);
		const admit = (answer: Reservation | Shortage): void => {
			if ("left" in answer) return;
			// A process that died meanwhile sent nothing.
			if (node.accounts !== accounts || !node.alive) return;
			this.calls.add({ id, node, token, reservation: answer, delivered: 0 });
		};
		try {
			const answer =
				setting === undefined ? accounts.follow(caller) : accounts.reserve(caller, { least, most }, setting);
			if (answer instanceof Promise) answer.then(admit, () => {});
			else admit(answer);
		} catch {
			// The journal could not be written: the call is refused.
		}
	}

	/** The upstream delivers; never more than was reserved, because the output was limited to it. */
	deliver(call: WorldCall, amount: number): void {
		const room = Number.isFinite(call.reservation.amount) ? call.reservation.amount : unheldCall;
		const more = Math.min(amount, room - call.delivered);
		call.delivered += more;
		this.delivered.set(call.token, (this.delivered.get(call.token) ?? 0) + more);
	}

	/** The call ends. `reported` is what the upstream says it used. */
	end(call: WorldCall, reported: number): number {
		this.calls.delete(call);
		this.overreported += Math.max(0, Math.min(reported, call.reservation.amount) - call.delivered);
		const { charged = 0, lease } = call.node.accounts.settle(call.reservation, reported);
		call.node.accounts.record(lease, { id: call.id, token: call.token, cost: charged });
		return charged;
	}

	/** Time passes for everybody; stopped nodes do not notice until they go on. */
	async pass(milliseconds: number): Promise<void> {
		for (let left = milliseconds; left > 0; ) {
			const running = this.nodes.filter((node) => node.alive && !node.stopped);
			const next = Math.min(...running.map(({ clock }) => clock.nextIn));
			const step = Math.min(left, Math.max(1, next));
			left -= step;
			this.time += step;
			for (const node of this.nodes) {
				if (running.includes(node)) await node.clock.move(step);
				else node.clock.jump(step);
				node.journals.turn();
			}
		}
		await settle();
	}

	async reap(): Promise<void> {
		database.write(this.statements.reap());
		await settle();
	}

	/** Everything that must be true at any moment, by token; the first thing that is not. */
	broken(): string | undefined {
		if (this.refusals.length > 0) return `the database refused: ${this.refusals[0]}`;
		for (const token of this.limits.keys()) {
			const found = this.brokenFor(token);
			if (found) return `${token}: ${found}`;
		}
		return undefined;
	}

	private brokenFor(token: string): string | undefined {
		const { used, leased } = this.account(token);
		const delivered = this.delivered.get(token) ?? 0;
		const limit = this.limits.get(token) ?? 0;
		if (delivered > limit) return `delivered ${delivered} of a quota of ${limit}`;
		if (used < 0 || leased < 0) return `used ${used}, leased ${leased}`;
		const recorded = this.recorded(token);
		if (recorded !== used) return `charged ${used}, but the rows say ${recorded}`;
		return undefined;
	}

	account(token: string): { readonly quota: number | null; readonly used: number; readonly leased: number } {
		const [row] = database.rows("SELECT quota, used, leased FROM quota_accounts WHERE token = ?", token);
		return {
			quota: row?.["quota"] === null || row === undefined ? null : Number(row["quota"]),
			used: Number(row?.["used"] ?? 0),
			leased: Number(row?.["leased"] ?? 0),
		};
	}

	recorded(token: string): number {
		const [row] = database.rows(
			`SELECT coalesce((SELECT sum(cost) FROM rows WHERE token = ?1), 0)
				+ coalesce((SELECT sum(amount) FROM quota_corrections WHERE token = ?1), 0) AS sum`,
			token,
		);
		return Number(row?.["sum"] ?? 0);
	}

	write(statements: Parameters<SqliteDatabase["write"]>[0]): void {
		database.write(statements);
	}

	rows(text: string): readonly Record<string, unknown>[] {
		return database.rows(text);
	}

	get sql(): Statements {
		return this.statements;
	}

	/** Empties the database for the next world. */
	close(): void {
		for (const table of ["quota_accounts", "quota_leases", "quota_corrections", "rows"])
			database.database.exec(`DELETE FROM ${table}`);
	}
}
