/** What a worker does with tasks under leases: takes those that are due, and keeps what came of looking at them. */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asText, type Store, valueList, type WireRecord } from "#core";
import { type WorkRow, workRowOf } from "./row.ts";
import type { TaskUpstream } from "./service.ts";
import { open } from "./task-store.ts";

/** How long a task is left to nodes that have its upstream and its kind, in milliseconds. */
const othersFirstMs = 5000;

/** How long a claim holds without being renewed, in milliseconds. */
export const leaseMs = 30_000;

const errandNames = ["submit", "poll", "settle", "release"] as const;
type Errand = (typeof errandNames)[number];

/** A task that is due to be looked at. */
export interface DueTask {
	readonly id: string;
	/** Whose share of turns it takes: the owner of its token when it was asked for, or the token where nobody owned it. */
	readonly caller: string;
	readonly upstream: string;
	/**
	 * What is to be done: to submit it, to ask after it, or, when it was given up, to settle what it costs; to release what
	 * it held, where nothing was ever submitted and so no upstream is to be asked.
	 */
	readonly errand: Errand;
}

/** Under what tasks are looked at: the lease that holds them, who is asked about them, and what ends the asking. */
export interface Claim<Upstream extends TaskUpstream | undefined = TaskUpstream> {
	readonly lease: string;
	/** Undefined where it is not configured (any more). */
	readonly upstream: Upstream;
	readonly signal: AbortSignal;
}

/** What a look that did not end the task leaves behind. */
export interface Look {
	readonly dueAt: number;
	readonly progress: number;
	readonly polls: number;
	readonly strange: number;
	readonly missing: number;
}

/** What this node can work on; `full`: upstreams that take no more now; `served`: callers, by `shareName`, that others go before. */
export interface Reach {
	readonly kinds: readonly string[];
	readonly upstreams: readonly string[];
	readonly full: readonly string[];
	readonly served: readonly string[];
}

export interface TaskLeases {
	/** Due tasks that nobody holds, oldest first: open, or given up and not settled. Those that this node cannot work on come late. */
	due(now: number, held: readonly string[], reach: Reach, limit: number): Promise<readonly DueTask[]>;
	/** Leases those still free; `lease` is never used twice. A submission is counted in the same statement, so one that was begun is never forgotten. */
	claim(ids: readonly string[], lease: string, now: number): Promise<readonly WorkRow[]>;
	renew(leases: readonly string[], now: number): Promise<void>;
	/**
	 * Keeps the upstream's name for the job; gives the task as it is then, undefined when the lease was lost or the task has
	 * ended. A task that goes on from another may be answered with a job that is there already, that one's or one it began
	 * before: the job's first task pays for it, and waits as long.
	 */
	submitted(
		row: WorkRow,
		lease: string,
		upstreamId: string,
		memo: WireRecord,
		look: Look,
	): Promise<WorkRow | undefined>;
	/** Keeps the upstream's name for a job that is about to end. */
	named(row: WorkRow, lease: string, upstreamId: string): Promise<void>;
	/** Sends the task round again, to this upstream: it is certain that nothing was submitted. */
	tryAgain(row: WorkRow, lease: string, upstream: string, dueAt: number): Promise<void>;
	looked(row: WorkRow, lease: string, look: Look): Promise<void>;
	/** Puts back a task for which nothing could be done, so that nothing counts as begun. */
	putBack(row: WorkRow, lease: string, dueAt: number): Promise<void>;
	/** The upstream did not answer a request to stop the job. */
	askAgain(row: WorkRow, lease: string, dueAt: number): Promise<void>;
	/** When the next task becomes due, of those that are not. */
	nextDue(now: number): Promise<number | undefined>;
}

export const createTaskLeases = (store: Store): TaskLeases => {
	const caller = sql`coalesce(caller, token_id)`;
	const unsent = sql`NOT ${open} AND upstream_id IS NULL AND submissions = 0`;
	const mine = (row: WorkRow, lease: string): SQL => sql`id = ${row.task.id} AND lease = ${lease}`;
	const seen = (
		look: Look,
	): SQL => sql`due_at = iif(${open}, min(${look.dueAt}, deadline_at), due_at), progress = max(progress, ${look.progress}),
		polls = ${look.polls}, strange = ${look.strange}, missing = ${look.missing}, lease = NULL, lease_until = NULL`;

	/** The task that began the job pays for it, and this one nothing; where there is none to pay, this one does. */
	const joined = (row: WorkRow, lease: string, upstreamId: string): readonly SQL[] => {
		const others = sql`token_id = ${row.task.tokenId} AND upstream = ${row.upstream} AND upstream_id = ${upstreamId}
			AND status <> 'FAILURE' AND id <> ${row.task.id}`;
		return [
			sql`UPDATE tasks SET request = json_set(request, '$.bound', json('{}'), '$.most', 0) WHERE ${mine(row, lease)}
				AND due_at IS NOT NULL AND EXISTS (SELECT 1 FROM tasks WHERE ${others} AND request->'$.bound' <> '{}')`,
			sql`UPDATE tasks SET deadline_at = max(deadline_at, ${row.deadlineAt}) WHERE ${others} AND ${open}`,
		];
	};

	return {
		async due(now, held, { kinds, upstreams, full, served }, limit) {
			const rows = await store.all(sql`
				SELECT id, ${caller} AS caller, upstream, CASE WHEN ${unsent} THEN 'release' WHEN NOT ${open} THEN 'settle' WHEN upstream_id IS NULL THEN 'submit' ELSE 'poll' END AS errand
				FROM tasks
				WHERE due_at <= ${now} AND (lease_until IS NULL OR lease_until < ${now} OR lease_until > ${now + 2 * leaseMs})
					AND id NOT IN ${valueList(held)} AND upstream || ' ' || ${caller} NOT IN ${valueList(served)} AND (upstream NOT IN ${valueList(full)} OR ${unsent})
					AND (due_at <= ${now - othersFirstMs} OR ${unsent} OR (upstream IN ${valueList(upstreams)} AND kind IN ${valueList(kinds)}))
				ORDER BY due_at, id LIMIT ${limit}`);
			return rows.map((row) => ({
				id: asText(row.id) ?? "",
				caller: asText(row.caller) ?? "",
				upstream: asText(row.upstream) ?? "",
				errand: errandNames.find((name) => name === row.errand) ?? "poll",
			}));
		},
		async claim(ids, lease, now) {
			const [written] = await store.write([
				sql`UPDATE tasks SET lease_until = ${now + leaseMs},
						submissions = submissions + (upstream_id IS NULL AND ${open} AND lease IS NOT ${lease}), lease = ${lease}
					WHERE id IN ${valueList(ids)} AND due_at IS NOT NULL AND (lease = ${lease} OR lease_until IS NULL
						OR lease_until < ${now} OR lease_until > ${now + 2 * leaseMs})
					RETURNING *`,
			]);
			return (written?.rows ?? []).map(workRowOf);
		},
		async renew(leases, now) {
			await store.write([sql`UPDATE tasks SET lease_until = ${now + leaseMs} WHERE lease IN ${valueList(leases)}`]);
		},
		async submitted(row, lease, upstreamId, memo, look) {
			const same = row.parent ? joined(row, lease, upstreamId) : [];
			const written = await store.write([
				...same,
				sql`UPDATE tasks SET upstream_id = ${upstreamId}, memo = ${JSON.stringify(memo)}, ${seen(look)}
					WHERE ${mine(row, lease)} AND due_at IS NOT NULL RETURNING *`,
			]);
			const kept = written.at(-1)?.rows[0];
			return kept && workRowOf(kept);
		},
		async named(row, lease, upstreamId) {
			await store.write([sql`UPDATE tasks SET upstream_id = ${upstreamId} WHERE ${mine(row, lease)}`]);
		},
		async tryAgain(row, lease, upstream, dueAt) {
			await store.write([
				sql`UPDATE tasks SET upstream = ${upstream}, submissions = 0, tries = ${row.tries + 1},
						due_at = iif(${open}, min(${dueAt}, deadline_at), due_at), lease = NULL, lease_until = NULL
					WHERE ${mine(row, lease)} AND due_at IS NOT NULL`,
			]);
		},
		async looked(row, lease, look) {
			await store.write([sql`UPDATE tasks SET ${seen(look)} WHERE ${mine(row, lease)} AND due_at IS NOT NULL`]);
		},
		async putBack(row, lease, dueAt) {
			await store.write([
				sql`UPDATE tasks SET submissions = max(0, submissions - (upstream_id IS NULL)),
						due_at = iif(${open}, ${dueAt}, due_at), lease = NULL, lease_until = NULL
					WHERE ${mine(row, lease)} AND due_at IS NOT NULL`,
			]);
		},
		async askAgain(row, lease, dueAt) {
			await store.write([
				sql`UPDATE tasks SET tries = ${row.tries + 1}, due_at = ${dueAt}, lease = NULL, lease_until = NULL
					WHERE ${mine(row, lease)} AND due_at IS NOT NULL`,
			]);
		},
		async nextDue(now) {
			const [row] = await store.all(sql`SELECT min(due_at) AS due FROM tasks WHERE due_at > ${now}`);
			return asNumber(row?.due);
		},
	};
};
