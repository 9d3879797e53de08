/** The statements that keep answers and let go of them. */

import { sql } from "drizzle-orm";
import { asList, asRecord, asText, fixedStatement, type Statement, type WireRecord } from "#core";

/** Where else an answer is kept: the upstream, and the model by whose name it is reached. */
export interface KeptAt {
	readonly model: string;
	readonly upstream: string;
}

/** The longest conversation that is put together, in answers. */
export const longestChain = 5000;

const dayMs = 86_400_000;

/** Rows removed by one statement of a prune: a long statement would hold up every other write. */
export const pruneStep = 200;

/** An answer with its items, as it is written. */
interface AnswerRows {
	readonly token: string;
	readonly id: string;
	readonly previous: string | null;
	readonly inputText: string;
	readonly answerText: string;
	readonly bytes: number;
	readonly keptAt: KeptAt | undefined;
	readonly items: readonly string[];
	readonly now: number;
}

/** The ids of an answer's items. */
export const itemIds = (answer: WireRecord): readonly string[] => [
	...new Set(asList(answer["output"]).flatMap((item) => asText(asRecord(item)["id"]) ?? [])),
];

/** The whole conversation was used now; noted once a day at most, for each note writes the rows anew. */
const touch = (token: string, id: string, now: number): Statement => sql`
	UPDATE responses_answers SET used_at = ${now}
	WHERE token = ${token} AND used_at < ${now - dayMs} AND id IN (
		WITH RECURSIVE chain (id, previous, depth) AS (
			SELECT id, previous, 0 FROM responses_answers WHERE token = ${token} AND id = ${id}
			UNION ALL
			SELECT a.id, a.previous, chain.depth + 1
			FROM chain JOIN responses_answers a ON a.token = ${token} AND a.id = chain.previous
			WHERE chain.depth < ${longestChain}
		)
		SELECT id FROM chain
	)`;

const insertAnswer = fixedStatement(
	`INSERT INTO responses_answers (token, id, previous, input, answer, used_at, bytes, model, upstream)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (token, id) DO UPDATE SET previous = excluded.previous, input = excluded.input, answer = excluded.answer,
		used_at = excluded.used_at, bytes = excluded.bytes, model = excluded.model, upstream = excluded.upstream`,
);

const insertItem = fixedStatement(
	`INSERT INTO responses_items (token, id, answer) VALUES (?, ?, ?)
	ON CONFLICT (token, id) DO UPDATE SET answer = excluded.answer`,
);

/** Writes an answer in place of another of the same id. */
export const keeping = (rows: AnswerRows): readonly Statement[] => {
	const { token, id, previous, inputText, answerText, bytes, keptAt, items, now } = rows;
	const { model = null, upstream = null } = keptAt ?? {};
	const statements: Statement[] = [
		insertAnswer([token, id, previous, inputText, answerText, now, bytes, model, upstream]),
		...items.map((item) => insertItem([token, item, id])),
	];
	if (previous !== null) statements.push(touch(token, previous, now));
	return statements;
};

/** Removes an answer and its items, and notes their ids; the last statement gives the answer's row where there was one. */
export const forgetting = (token: string, id: string, now: number): readonly Statement[] => [
	sql`INSERT INTO responses_deleted (id, deleted_at)
		SELECT id, ${now} FROM responses_items WHERE token = ${token} AND answer = ${id}
		UNION SELECT id, ${now} FROM responses_answers WHERE token = ${token} AND id = ${id}
		ON CONFLICT (id) DO UPDATE SET deleted_at = excluded.deleted_at`,
	sql`DELETE FROM responses_answers WHERE token = ${token} AND id = ${id} RETURNING id`,
];

/** Removes some of what was last used, or deleted, before `time`. */
export const pruning = (time: number): readonly Statement[] => [
	sql`DELETE FROM responses_answers WHERE rowid IN
		(SELECT rowid FROM responses_answers WHERE used_at < ${time} LIMIT ${pruneStep})`,
	sql`DELETE FROM responses_deleted WHERE id IN
		(SELECT id FROM responses_deleted WHERE deleted_at < ${time} LIMIT ${pruneStep})`,
];
