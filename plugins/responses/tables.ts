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
	/** Milliseconds since 1970: when it, or an answer that goes on from it, was made. */
	usedAt: integer("used_at").notNull(),
});

export const items = sqliteTable("responses_items", {
	token: text("token").notNull(),
	/** The id of an output item. */
	id: text("id").notNull(),
	/** The answer it stands in. */
	answer: text("answer").notNull(),
});

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
	],
});
