/**
 * What an earlier process left undone. Its journal tells what its calls were charged; calls that were running are charged
 * what they held (or their last watermark), because nobody knows what the upstream had already delivered.
 */

import { sql } from "drizzle-orm";
import type { Clock, Log, Statement, Store } from "#core";
import { isTokenAccount } from "./account-names.ts";
import { costOf } from "./charge-batch.ts";
import { type Journals, type LeftJournal, sameBoot } from "./journal.ts";
import { type LeftCall, type LeftLease, type LeftWork, leftWork } from "./journal-lines.ts";
import type { Correction, LedgerRow, LedgerWriter } from "./service.ts";
import type { Statements } from "./statements.ts";

interface RecoveryOptions {
	readonly store: Store;
	readonly clock: Clock;
	readonly statements: Statements;
	readonly log: Log;
	readonly journals: Journals;
	/** This boot of the machine. */
	readonly boot: string;
	/** The process whose journal is alive. */
	readonly except: string;
	writer(): LedgerWriter | undefined;
	/** What is told of these accounts, in the batch that charges them. */
	told(charged: ReadonlySet<string>): readonly Statement[];
}

const rowsInBatch = 500;

/** Slices out of a restored backup that no journal told of: what was not spent when it was made goes back. */
const releaseRestored = sql`UPDATE quota_leases SET granted = settled, state = 'closed'
	WHERE kind = 'slice' AND state = 'open' AND expires_at IS NULL`;

/** Calls that have a charge, or get one now, and no row that tells more of them. */
const unrecorded = (
	{ account: tokenId, rowless }: LeftLease,
	running: readonly LeftCall[],
	now: number,
): readonly Correction[] =>
	[...running, ...rowless.values()].map(({ id, amount, at = now, model }) => ({
		id,
		tokenId,
		amount,
		reason: "crash",
		at,
		...(model !== undefined && { model }),
	}));

/**
 * Charges and closes one lease: running calls in full, everything in one batch. `granted` is false where the database
 * knows nothing of it: its last write was damaged, or a backup stands in its place. What was spent was spent.
 */
const finish = (
	lease: LeftLease,
	intact: boolean,
	granted: boolean,
	options: RecoveryOptions,
): readonly Statement[] => {
	const { statements } = options;
	const writer = options.writer();
	const running = intact ? [...lease.running.values()] : [];
	const settled = lease.settled + running.reduce((sum, { amount }) => sum + amount, 0);
	const rows: LedgerRow[] = [...lease.rows];
	// What a person's account or a budget's is charged, the account of the token is charged too: its rows tell it.
	if (writer && isTokenAccount(lease.account))
		rows.push(...unrecorded(lease, running, options.clock.now()).map((correction) => writer.correction(correction)));
	const figures = { id: lease.id, account: lease.account, kind: lease.kind, settled };
	return [
		...(lease.kind === "slice" && !granted ? [statements.regain(figures, options.except)] : []),
		...(lease.kind === "tally" && settled > 0 ? statements.openTally(lease.id, lease.account, options.except) : []),
		...(lease.kind === "tally" ? [statements.charge(figures)] : []),
		...(intact || lease.kind === "tally"
			? statements.close(figures)
			: [statements.chargeAtLeast(figures), statements.abandon(lease.id)]),
		...(rows.length > 0 ? (writer?.statements(rows) ?? []) : []),
	];
};

/** The rows of a long outage go first, in pieces, each with the charges they explain; gives what is left for the last batch. */
const writeAllButLast = async (
	{ id, account, kind, settled, rows, rowless }: LeftLease,
	{ store, statements, writer: writerOf }: RecoveryOptions,
): Promise<readonly LedgerRow[]> => {
	const writer = writerOf();
	const unexplained = [...rowless.values()].reduce((sum, { amount }) => sum + amount, 0);
	let explained = rows.reduce((sum, row) => sum - costOf(row), settled - unexplained);
	let at = 0;
	for (; writer && rows.length - at > rowsInBatch; at += rowsInBatch) {
		const piece = rows.slice(at, at + rowsInBatch);
		explained = piece.reduce((sum, row) => sum + costOf(row), explained);
		await store.write([...writer.statements(piece), statements.charge({ id, account, kind, settled: explained })]);
	}
	return rows.slice(at);
};

const redo = async (work: LeftWork, options: RecoveryOptions): Promise<void> => {
	const intact = sameBoot(work.boot, options.boot);
	for (const lease of work.leases.values()) {
		const [row] = await options.store.all(options.statements.state(lease.id));
		// Charged in full already, by a reaper, and no journal to tell better: there is nothing to add.
		if (!intact && row?.["state"] === "lost") continue;
		// What was lost, or was never heard of, is put right at once or not at all.
		const rows = row?.["state"] === "open" ? await writeAllButLast(lease, options) : lease.rows;
		const charged = finish({ ...lease, rows: [...rows] }, intact, row !== undefined, options);
		await options.store.write([...charged, ...options.told(new Set([lease.account]))]);
	}
	const writer = options.writer();
	for (let at = 0; writer && at < work.loose.length; at += rowsInBatch)
		await options.store.write(writer.statements(work.loose.slice(at, at + rowsInBatch)));
};

/** What a damaged line told may be money that nobody was charged: whoever looks into it needs the line, so that journal stays. */
const tellDamage = (journal: LeftJournal, { damaged }: LeftWork, log: Log): void => {
	if (damaged.length === 0) {
		journal.remove();
		return;
	}
	log.error("a journal has damaged lines: what they told was not charged; the rest was, and the file is kept", {
		file: journal.keep(),
		lines: damaged.slice(0, 20).join(", "),
		count: damaged.length,
	});
};

/** Brings every left journal to its end and removes it. Repeating it, after a crash in its midst, changes nothing. */
export const recover = async (options: RecoveryOptions): Promise<void> => {
	for (const journal of options.journals.left()) {
		if (journal.process === options.except) continue;
		const work = leftWork(journal.records());
		if (!work) {
			options.log.error("a journal cannot be read; what its process had set aside will be charged in full", {
				process: journal.process,
				file: journal.path,
			});
			continue;
		}
		await redo(work, options);
		tellDamage(journal, work, options.log);
		const running = [...work.leases.values()].reduce((sum, lease) => sum + lease.running.size, 0);
		if (work.leases.size > 0)
			options.log.warn("an earlier process did not end in order; its journal has been charged", {
				leases: work.leases.size,
				callsThatWereRunning: running,
			});
	}
	await options.store.write([releaseRestored]);
};
