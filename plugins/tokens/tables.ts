/** What is stored of a token. A deleted token keeps its row, so that the ledger's lines keep their name; its digest goes. */

import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Tables } from "#core";

export const tokens = sqliteTable("tokens", {
	id: text("id").primaryKey(),
	name: text("name").notNull(),
	/** Keyed digest of the key; null once deleted. */
	digest: text("digest").unique(),
	/** By which pepper the digest was made; null where an earlier version made it and the key was not used since. */
	pepperMark: text("pepper_mark"),
	/** The digest of the key before, which is good too until a time; null for none. */
	previousDigest: text("previous_digest"),
	/** Milliseconds since 1970. */
	previousUntil: integer("previous_until"),
	preview: text("preview").notNull(),
	/** JSON object: settings by key. */
	settings: text("settings").notNull(),
	disabled: integer("disabled", { mode: "boolean" }).notNull(),
	/** An administrator disabled it: its owner does not enable it. */
	disabledByAdmin: integer("disabled_by_admin", { mode: "boolean" }).notNull(),
	deleted: integer("deleted", { mode: "boolean" }).notNull(),
	/** The person it belongs to; null: the operator's. */
	owner: text("owner"),
	/** Milliseconds since 1970. */
	createdAt: integer("created_at").notNull(),
	/** Grows with every change of any token: other nodes ask for what is newer than they have seen. */
	revision: integer("revision").notNull(),
});

/** Tells other nodes that a token is another now. */
export const nextRevision = sql`revision = (SELECT max(revision) + 1 FROM tokens)`;

export const pepper = sqliteTable("token_pepper", {
	id: integer("id").primaryKey(),
	value: text("value").notNull(),
});

export const tokenTables = (plugin: string): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-tokens",
			statements: [
				`CREATE TABLE tokens (
					id TEXT PRIMARY KEY,
					name TEXT NOT NULL,
					digest TEXT UNIQUE,
					preview TEXT NOT NULL,
					settings TEXT NOT NULL,
					disabled INTEGER NOT NULL,
					deleted INTEGER NOT NULL,
					created_at INTEGER NOT NULL,
					revision INTEGER NOT NULL
				) STRICT`,
				"CREATE INDEX tokens_revision ON tokens (revision)",
				"CREATE TABLE token_pepper (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL) STRICT",
			],
		},
		// The node that made a first token and has not shown its key yet.
		{ name: "002-unshown", statements: ["ALTER TABLE tokens ADD COLUMN unshown_by TEXT"] },
		{
			name: "003-owner",
			statements: ["ALTER TABLE tokens ADD COLUMN owner TEXT", "CREATE INDEX tokens_owner ON tokens (owner, id)"],
		},
		{
			name: "004-grace",
			statements: [
				"ALTER TABLE tokens ADD COLUMN previous_digest TEXT",
				"ALTER TABLE tokens ADD COLUMN previous_until INTEGER",
				"CREATE UNIQUE INDEX tokens_previous ON tokens (previous_digest) WHERE previous_digest IS NOT NULL",
			],
		},
		{
			name: "005-disabled-by-admin",
			statements: ["ALTER TABLE tokens ADD COLUMN disabled_by_admin INTEGER NOT NULL DEFAULT 0"],
		},
		{ name: "006-pepper-mark", statements: ["ALTER TABLE tokens ADD COLUMN pepper_mark TEXT"] },
	],
});
