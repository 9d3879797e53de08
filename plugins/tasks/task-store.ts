/** Tasks as their clients ask for them, and their removal. What a worker writes down is in `leases.ts`, changes of state in `transitions.ts`. */
import { type SQL, sql } from "drizzle-orm";
import { asRecord, asText, parseJson, type Store, valueList, type WireRecord } from "#core";
import { taskOf, type WorkRow, workRowOf } from "./row.ts";
import type { Task, TaskFilter } from "./service.ts";

const columns = sql`id, token_id, kind, action, model, request, status, progress, result, failure, callback_url,
	submitted_at, started_at, finished_at, changed_at, expires_at`;

/** A task has not ended. */
export const open = sql`status IN ('NOT_START', 'IN_PROGRESS')`;

/** When a task was submitted that may have been removed: its id says it. Null where it is no id of a task. */
const madeAt = (id: string): number | null => {
	const [, time] = /^task_([0-9a-f]{12})[0-9a-f]{20}$/.exec(id) ?? [];
	return time === undefined ? null : Number.parseInt(time, 16);
};

export interface TaskStore {
	find(tokenId: string, id: string): Promise<Task | undefined>;
	findAll(tokenId: string, ids: readonly string[]): Promise<readonly Task[]>;
	list(tokenId: string, filter: TaskFilter): Promise<{ readonly data: readonly Task[]; readonly more: boolean }>;
	/** The task whatever token it belongs to, for its worker. */
	work(id: string): Promise<WorkRow | undefined>;
	/** The token's task of that id, or the one whose result has a part (`task_…-0`, a clip, a button) of that id. */
	holder(tokenId: string, id: string): Promise<WorkRow | undefined>;
	byIdempotencyKey(tokenId: string, key: string): Promise<WorkRow | undefined>;
	/** Those of these that have not ended. */
	stillOpen(ids: readonly string[]): Promise<ReadonlySet<string>>;
	inputOf(id: string): Promise<WireRecord>;
	/** Removes an ended task. One that is not settled is hidden, its time being over, and goes when it is. False when it has not ended. */
	remove(tokenId: string, id: string): Promise<boolean>;
	/** Ids of settled tasks whose time is over. */
	expired(now: number, limit: number): Promise<readonly string[]>;
	removeAll(ids: readonly string[]): Promise<void>;
	/** The key that signs links, the same on all nodes; `fresh` becomes it when there is none. */
	linkKey(fresh: string): Promise<string>;
}

export const createTaskStore = (store: Store): TaskStore => {
	const read = async (where: SQL): Promise<readonly Task[]> =>
		(await store.all(sql`SELECT ${columns} FROM tasks t WHERE ${where}`)).map(taskOf);
	const readWork = async (where: SQL): Promise<WorkRow | undefined> => {
		const [row] = await store.all(sql`SELECT * FROM tasks WHERE ${where}`);
		return row && workRowOf(row);
	};
	return {
		async find(tokenId, id) {
			const [task] = await read(sql`t.id = ${id} AND t.token_id = ${tokenId} AND t.expires_at > 0`);
			return task;
		},
		findAll: (tokenId, ids) =>
			read(
				sql`t.token_id = ${tokenId} AND t.expires_at > 0 AND t.id IN ${valueList(ids)} ORDER BY t.submitted_at, t.id`,
			),
		async list(tokenId, { kind, status, maker, externalId, after, limit, skip = 0, order = "desc" }) {
			const where = [sql`t.token_id = ${tokenId} AND t.expires_at > 0`];
			if (kind !== undefined) where.push(sql`t.kind = ${kind}`);
			if (status !== undefined) where.push(sql`t.status = ${status}`);
			if (maker !== undefined) where.push(sql`json_extract(t.request, '$.details.maker') = ${maker}`);
			if (externalId !== undefined) where.push(sql`json_extract(t.request, '$.details.externalId') = ${externalId}`);
			const [direction, beyond] = order === "asc" ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
			if (after !== undefined)
				where.push(sql`(t.submitted_at, t.id) ${beyond} (coalesce((SELECT a.submitted_at FROM tasks a
					WHERE a.id = ${after} AND a.token_id = ${tokenId}), ${madeAt(after)}), ${after})`);
			const found = await read(sql`${sql.join(where, sql` AND `)}
				ORDER BY t.submitted_at ${direction}, t.id ${direction} LIMIT ${limit + 1} OFFSET ${skip}`);
			return { data: found.slice(0, limit), more: found.length > limit };
		},
		work: (id) => readWork(sql`id = ${id}`),
		// By its ids alone, and never by a look at all tasks of the token.
		holder: (tokenId, id) =>
			readWork(sql`+token_id = ${tokenId} AND expires_at > 0 AND id IN (
					SELECT ${id} UNION ALL SELECT ${id.replace(/-\d{1,2}$/, "")}
					UNION ALL SELECT task_id FROM task_parts WHERE token_id = ${tokenId} AND name = ${id})
				ORDER BY submitted_at DESC, id LIMIT 1`),
		byIdempotencyKey: (tokenId, key) => readWork(sql`token_id = ${tokenId} AND idempotency_key = ${key}`),
		async stillOpen(ids) {
			const rows = await store.all(sql`SELECT id FROM tasks WHERE id IN ${valueList(ids)} AND ${open}`);
			return new Set(rows.map((row) => String(row.id)));
		},
		async inputOf(id) {
			const [row] = await store.all(sql`SELECT input FROM task_inputs WHERE task_id = ${id}`);
			return asRecord(parseJson(asText(row?.input) ?? ""));
		},
		async remove(tokenId, id) {
			const ended = sql`id = ${id} AND token_id = ${tokenId} AND expires_at > 0 AND NOT ${open}`;
			const written = await store.write([
				sql`DELETE FROM tasks WHERE ${ended} AND due_at IS NULL`,
				sql`UPDATE tasks SET expires_at = 0, idempotency_key = NULL WHERE ${ended}`,
			]);
			return written.some(({ changes }) => changes > 0);
		},
		async expired(now, limit) {
			const rows = await store.all(
				sql`SELECT id FROM tasks WHERE expires_at < ${now} AND due_at IS NULL LIMIT ${limit}`,
			);
			return rows.map(({ id }) => asText(id) ?? "");
		},
		async removeAll(ids) {
			await store.write([sql`DELETE FROM tasks WHERE id IN ${valueList(ids)}`]);
		},
		async linkKey(fresh) {
			await store.write([sql`INSERT INTO task_keys (id, key) VALUES (1, ${fresh}) ON CONFLICT DO NOTHING`]);
			const [row] = await store.all(sql`SELECT key FROM task_keys WHERE id = 1`);
			return asText(row?.key) ?? fresh;
		},
	};
};
