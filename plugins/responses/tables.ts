/** Answers that clients may go on from, and where each of their items is found. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Tables } from "#core";

export const answers = sqliteTable("responses_answers", {
	/** Whose answer it is: to every other token it does not exist. */
	token: text("token").notNull(),
	id: text("id").notNull(),
	/** The answer it went on from. */
	previous: text("previous"),
	/** JSON list: the input items the client sent, without those of the conversation before. */
	input: text("input").notNull(),
	/** JSON object: the `response` as the client has it. */
	answer: text("answer").notNull(),
	/** What input and answer take, in bytes. */
	bytes: integer("bytes").notNull(),
	/** Milliseconds since 1970: when it, or an answer that goes on from it, was made. */
	usedAt: integer("used_at").notNull(),
});

const bytesOf = (column: string): string => `length(CAST(${column} AS BLOB))`;

export const responsesTables = (plugin: string): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-answers",
			statements: [
				`CREATE TABLE responses_answers (
					token TEXT NOT NULL,
					id TEXT NOT NULL,
					previous TEXT,
					input TEXT NOT NULL,
					answer TEXT NOT NULL,
					used_at INTEGER NOT NULL,
					PRIMARY KEY (token, id)
				) STRICT`,
				"CREATE INDEX responses_answers_id ON responses_answers (id)",
				"CREATE INDEX responses_answers_used ON responses_answers (used_at)",
				// By the id of an output item the answer it stands in.
				`CREATE TABLE responses_items (
					token TEXT NOT NULL,
					id TEXT NOT NULL,
					answer TEXT NOT NULL,
					PRIMARY KEY (token, id)
				) STRICT, WITHOUT ROWID`,
				"CREATE INDEX responses_items_id ON responses_items (id)",
				"CREATE INDEX responses_items_answer ON responses_items (token, answer)",
				`CREATE TRIGGER responses_answers_gone AFTER DELETE ON responses_answers BEGIN
					DELETE FROM responses_items WHERE token = OLD.token AND answer = OLD.id;
				END`,
			],
		},
		{
			name: "002-sizes",
			statements: [
				"ALTER TABLE responses_answers ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0",
				`UPDATE responses_answers SET bytes = ${bytesOf("input")} + ${bytesOf("answer")}`,
				"DROP INDEX responses_answers_used",
				// What is asked of sizes and ages is answered by these alone: the rows themselves are long.
				"CREATE INDEX responses_answers_used ON responses_answers (used_at, bytes)",
				"CREATE INDEX responses_answers_used_by ON responses_answers (token, used_at, bytes)",
				"CREATE INDEX responses_answers_chain ON responses_answers (token, id, previous, bytes)",
				// The row without a token is the sum of all.
				"CREATE TABLE responses_kept (token TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID",
				"INSERT INTO responses_kept SELECT token, sum(bytes) FROM responses_answers GROUP BY token",
				"INSERT INTO responses_kept SELECT '', coalesce(sum(bytes), 0) FROM responses_answers",
				`CREATE TRIGGER responses_answers_kept AFTER INSERT ON responses_answers BEGIN
					INSERT INTO responses_kept (token, bytes) VALUES (NEW.token, NEW.bytes)
						ON CONFLICT (token) DO UPDATE SET bytes = bytes + excluded.bytes;
					UPDATE responses_kept SET bytes = bytes + NEW.bytes WHERE token = '';
				END`,
				`CREATE TRIGGER responses_answers_left AFTER DELETE ON responses_answers BEGIN
					UPDATE responses_kept SET bytes = bytes - OLD.bytes WHERE token IN (OLD.token, '');
					DELETE FROM responses_kept WHERE token = OLD.token AND bytes <= 0;
				END`,
			],
		},
		{
			// Who else keeps an answer, so that it can be told of its end; and what is deleted stays known as that.
			name: "003-deleted",
			statements: [
				"ALTER TABLE responses_answers ADD COLUMN model TEXT",
				"ALTER TABLE responses_answers ADD COLUMN upstream TEXT",
				`CREATE TABLE responses_deleted (
					id TEXT NOT NULL PRIMARY KEY,
					deleted_at INTEGER NOT NULL
				) STRICT, WITHOUT ROWID`,
				"CREATE INDEX responses_deleted_at ON responses_deleted (deleted_at)",
			],
		},
		{
			name: "004-capsules",
			statements: [
				"CREATE TABLE responses_capsule_secret (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL) STRICT",
			],
		},
		{
			// An answer is written at every call: what finds an id of any token finds that of one too.
			name: "005-fewer-indexes",
			statements: [
				"DROP INDEX responses_answers_id",
				"DROP INDEX responses_answers_chain",
				"CREATE INDEX responses_answers_chain ON responses_answers (id, token, previous, bytes)",
				"DROP TRIGGER responses_answers_gone",
				`CREATE TABLE responses_items_by_id (
					token TEXT NOT NULL,
					id TEXT NOT NULL,
					answer TEXT NOT NULL,
					PRIMARY KEY (id, token)
				) STRICT, WITHOUT ROWID`,
				"INSERT INTO responses_items_by_id SELECT token, id, answer FROM responses_items",
				"DROP TABLE responses_items",
				"ALTER TABLE responses_items_by_id RENAME TO responses_items",
				"CREATE INDEX responses_items_answer ON responses_items (token, answer)",
				`CREATE TRIGGER responses_answers_gone AFTER DELETE ON responses_answers BEGIN
					DELETE FROM responses_items WHERE token = OLD.token AND answer = OLD.id;
				END`,
				`CREATE TRIGGER responses_answers_replaced AFTER UPDATE OF answer ON responses_answers BEGIN
					DELETE FROM responses_items WHERE token = OLD.token AND answer = OLD.id;
					UPDATE responses_kept SET bytes = bytes + NEW.bytes - OLD.bytes WHERE token IN (NEW.token, '');
				END`,
			],
		},
	],
});
