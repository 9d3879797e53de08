/** One row for every call. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Tables } from "#core";

export const ledgerRows = sqliteTable("ledger", {
	/** The call's id: a row is written once however often it is sent. */
	id: text("id").primaryKey(),
	/** Milliseconds since 1970. */
	at: integer("at").notNull(),
	token: text("token"),
	tokenName: text("token_name"),
	protocol: text("protocol").notNull(),
	operation: text("operation").notNull(),
	/** The model asked for. */
	model: text("model"),
	upstream: text("upstream"),
	/** The model the upstream was asked for. */
	target: text("target"),
	stream: integer("stream", { mode: "boolean" }).notNull(),
	status: integer("status").notNull(),
	ending: text("ending").notNull(),
	/** Why it was refused or failed: the denial's kind. */
	reason: text("reason"),
	inputTokens: integer("input_tokens").notNull(),
	cachedTokens: integer("cached_tokens").notNull(),
	cacheWriteTokens: integer("cache_write_tokens").notNull(),
	outputTokens: integer("output_tokens").notNull(),
	reasoningTokens: integer("reasoning_tokens").notNull(),
	/** True when Portico counted because the upstream did not. */
	estimated: integer("estimated", { mode: "boolean" }).notNull(),
	/** Micro-dollars; null when no price is known. */
	cost: integer("cost"),
	attempts: integer("attempts").notNull(),
	firstByteMs: integer("first_byte_ms"),
	durationMs: integer("duration_ms").notNull(),
	/** What could not be carried in translation, by commas. */
	dropped: text("dropped"),
	address: text("address"),
});

export type LedgerRow = typeof ledgerRows.$inferInsert;

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
					token_name TEXT,
					protocol TEXT NOT NULL,
					operation TEXT NOT NULL,
					model TEXT,
					upstream TEXT,
					target TEXT,
					stream INTEGER NOT NULL,
					status INTEGER NOT NULL,
					ending TEXT NOT NULL,
					reason TEXT,
					input_tokens INTEGER NOT NULL,
					cached_tokens INTEGER NOT NULL,
					cache_write_tokens INTEGER NOT NULL,
					output_tokens INTEGER NOT NULL,
					reasoning_tokens INTEGER NOT NULL,
					estimated INTEGER NOT NULL,
					cost INTEGER,
					attempts INTEGER NOT NULL,
					first_byte_ms INTEGER,
					duration_ms INTEGER NOT NULL,
					dropped TEXT,
					address TEXT
				) STRICT`,
				"CREATE INDEX ledger_at ON ledger (at)",
				"CREATE INDEX ledger_token_at ON ledger (token, at)",
			],
		},
	],
});
