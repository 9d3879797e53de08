/** One row for every call. What is summed and searched has a column; the rest is JSON in `detail`, to keep a row cheap to write. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bulkInsert, type Statement, type Tables } from "#core";

export const ledgerRows = sqliteTable("ledger", {
	/** The call's id: a row is written once however often it is sent. */
	id: text("id").primaryKey(),
	/** Milliseconds since 1970. */
	at: integer("at").notNull(),
	token: text("token"),
	/** The model asked for. */
	model: text("model"),
	upstream: text("upstream"),
	/** An ending of a call, or the reason of a correction: `crash`, `lease_lost`, `lease_found`. */
	ending: text("ending").notNull(),
	inputTokens: integer("input_tokens").notNull(),
	cachedTokens: integer("cached_tokens").notNull(),
	outputTokens: integer("output_tokens").notNull(),
	reasoningTokens: integer("reasoning_tokens").notNull(),
	/** Micro-dollars charged; null when no price is known. */
	cost: integer("cost"),
	/** Micro-dollars that an upstream reported beyond what the call had reserved; nobody is charged for them. */
	excess: integer("excess").notNull(),
	/** JSON: token's name, protocol, operation, target's model, stream, status, reason, estimated, attempts, times, what was dropped, address. */
	detail: text("detail").notNull(),
});

/** A row as it is written, by the columns' names. A type and not an interface, so that it counts as a record of plain values. */
export type LedgerRow = {
	readonly id: string;
	readonly at: number;
	readonly token: string | null;
	readonly model: string | null;
	readonly upstream: string | null;
	readonly ending: string;
	readonly input_tokens: number;
	readonly cached_tokens: number;
	readonly output_tokens: number;
	readonly reasoning_tokens: number;
	readonly cost: number | null;
	readonly excess: number;
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
	"detail",
] as const satisfies readonly (keyof LedgerRow)[];

const insert = bulkInsert({ table: "ledger", columns });

/** Inserts that leave out rows already there. */
export const insertRows = (rows: readonly Readonly<Record<string, unknown>>[]): Statement[] =>
	insert(rows.map((row) => columns.map((column) => row[column] ?? null)));

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
	],
});
