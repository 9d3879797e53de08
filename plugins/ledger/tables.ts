/** One row for every call. What is summed and searched has a column; the rest is JSON in `detail`, to keep a row cheap to write. */

import { sql } from "drizzle-orm";
import { asNumber, bulkInsert, type Statement, type Store, type Tables } from "#core";
import { rollupStatements, tookStatements } from "./rollup.ts";
import { spanOfRow } from "./time-taken.ts";

/** A row by the columns' names. A type and not an interface, so that it counts as a record of plain values. */
export type LedgerRow = {
	/** The call's id: a row is written once however often it is sent. */
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly token: string | null;
	/** The model asked for. */
	readonly model: string | null;
	readonly upstream: string | null;
	/** An ending of a call, or the reason of a correction: `crash`, `lease_lost`, `lease_found`. */
	readonly ending: string;
	readonly input_tokens: number;
	readonly cached_tokens: number;
	readonly output_tokens: number;
	readonly reasoning_tokens: number;
	/** Micro-dollars charged; null when no price is known. */
	readonly cost: number | null;
	/** Micro-dollars that an upstream reported beyond what the call had reserved; nobody is charged for them. */
	readonly excess: number;
	/** The client's own request id, where it sent one. */
	readonly request: string | null;
	readonly protocol: string | null;
	/** JSON, in one order; null for none. */
	readonly tags: string | null;
	/** The HTTP status that the client got. */
	readonly status: number | null;
	/** How long it took, as a span of `time-taken.ts`; null where that says nothing. */
	readonly took_span: number | null;
	/** JSON: token's name, operation, target's model, stream, reason, estimated, attempts, times, what was dropped, address. */
	readonly detail: string;
};

const columns = [
	"id",
	"at",
	"token",
	"model",
	"upstream",
	"ending",
	"input_tokens",
	"cached_tokens",
	"output_tokens",
	"reasoning_tokens",
	"cost",
	"excess",
	"request",
	"protocol",
	"status",
	"tags",
	"took_span",
	"detail",
] as const satisfies readonly (keyof LedgerRow)[];

const amounts = ["input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "excess"] as const;

type Row = Readonly<Record<string, unknown>>;

const isWhole = (row: Row): boolean => {
	for (const column of amounts) if (!Number.isSafeInteger(row[column])) return false;
	return row["cost"] === null || Number.isSafeInteger(row["cost"]);
};

const inWholes = (row: Row): Row => {
	const cost = asNumber(row["cost"]);
	return {
		...row,
		...Object.fromEntries(amounts.map((column) => [column, Math.ceil(asNumber(row[column]) ?? 0)])),
		cost: cost === undefined ? null : Math.ceil(cost),
	};
};

const insert = bulkInsert({ table: "ledger", columns });

/**
 * Inserts that leave out rows already there. Amounts in them that the table does not take (of a plugin's charge, of a
 * journal) are made whole: one such row would keep all others from being written.
 */
export const insertRows = (rows: readonly Row[]): Statement[] =>
	insert(rows.every(isWhole) ? rows : rows.map(inWholes));

const prunedAtOnce = 2_000;

/** Removes the rows before a time (milliseconds since 1970), some at a time, so that other writes come in between. */
export const pruneRows = async (store: Store, before: number, signal: AbortSignal): Promise<void> => {
	let removed = prunedAtOnce;
	while (removed === prunedAtOnce && !signal.aborted) {
		const old = sql`SELECT rowid FROM ledger WHERE at < ${before} LIMIT ${prunedAtOnce}`;
		const [written] = await store.write([sql`DELETE FROM ledger WHERE rowid IN (${old})`]);
		removed = written?.changes ?? 0;
	}
};

export const ledgerTables = (plugin: string): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-ledger",
			statements: [
				`CREATE TABLE ledger (
					id TEXT PRIMARY KEY,
					at INTEGER NOT NULL,
					token TEXT,
					model TEXT,
					upstream TEXT,
					ending TEXT NOT NULL,
					input_tokens INTEGER NOT NULL,
					cached_tokens INTEGER NOT NULL,
					output_tokens INTEGER NOT NULL,
					reasoning_tokens INTEGER NOT NULL,
					cost INTEGER,
					excess INTEGER NOT NULL,
					detail TEXT NOT NULL
				) STRICT`,
				"CREATE INDEX ledger_at ON ledger (at)",
				"CREATE INDEX ledger_token_at ON ledger (token, at)",
			],
		},
		{
			name: "002-searched",
			statements: [
				"ALTER TABLE ledger ADD COLUMN request TEXT",
				"ALTER TABLE ledger ADD COLUMN protocol TEXT",
				"ALTER TABLE ledger ADD COLUMN status INTEGER",
				"UPDATE ledger SET protocol = detail->>'protocol', status = detail->>'status'",
				"CREATE INDEX ledger_request ON ledger (request) WHERE request IS NOT NULL",
			],
		},
		{ name: "003-rollup", statements: ["ALTER TABLE ledger ADD COLUMN tags TEXT", ...rollupStatements] },
		{
			name: "004-took",
			statements: [
				"ALTER TABLE ledger ADD COLUMN took_span INTEGER",
				`UPDATE ledger SET took_span = ${spanOfRow}`,
				...tookStatements,
			],
		},
	],
});
