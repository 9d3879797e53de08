/**
 * The only ways a task changes its state. Each is a batch of statements that compare the state before they set it, so
 * of two that happen at once one wins and the other changes nothing; what a task costs is settled in the same batch.
 * A batch that ends a task that has ended fails as a whole, by the table's CHECK of states.
 */
import { type SQL, sql } from "drizzle-orm";
import { definedOnly, type Statement } from "#core";
import type { Said } from "../prices/service.ts";
import type { TaskWords } from "./budget.ts";
import type { Task, TaskFailure, TaskKind, TaskResult } from "./service.ts";

/** Shown while a task runs, whatever its upstream says; 100 belongs to success. */
const mostProgress = 99;

export interface Change {
	readonly statements: readonly Statement[];
	/** The task as it is after the change, when the change wins. */
	readonly task: Task;
}

const callbackOf = (kind: TaskKind | undefined, task: Task): string =>
	task.callbackUrl === "" || !kind ? "" : kind.callback(task);

/** Times of one task never run backwards, whatever the clock does. */
const notBefore = (task: Task, at: number): number => Math.max(at, task.submittedAt, task.startedAt);

/** NOT_START to IN_PROGRESS. Without effect in any other state. */
export const begin = (kind: TaskKind, before: Task, at: number): Change => {
	const startedAt = notBefore(before, at);
	const task: Task = { ...before, status: "IN_PROGRESS", startedAt, updatedAt: startedAt };
	const statement = sql`UPDATE tasks SET status = 'IN_PROGRESS', sequence = sequence + 1, started_at = ${startedAt},
		changed_at = ${startedAt}, callback = ${callbackOf(kind, task)} WHERE id = ${task.id} AND status = 'NOT_START'`;
	return { task, statements: [statement] };
};

/** What every ending does besides: what only the upstream needed is dropped. */
const rest = (id: string): Statement => sql`DELETE FROM task_inputs WHERE task_id = ${id}`;

/** What a task cost is charged: nothing is due any more. Without effect on an open task. */
export const settled = (id: string): Statement =>
	sql`UPDATE tasks SET due_at = NULL, lease = NULL, lease_until = NULL
		WHERE id = ${id} AND status IN ('SUCCESS', 'FAILURE')`;

/** To SUCCESS, through IN_PROGRESS when the task had not begun. `settle`: what charges for it. */
export const succeed = (
	kind: TaskKind,
	before: Task,
	result: TaskResult,
	at: number,
	settle: (task: Task) => readonly Statement[],
): Change => {
	const begun = before.status === "NOT_START" ? begin(kind, before, at) : { task: before, statements: [] };
	const finishedAt = notBefore(begun.task, at);
	const task: Task = { ...begun.task, status: "SUCCESS", progress: 100, result, finishedAt, updatedAt: finishedAt };
	const end = sql`UPDATE tasks SET status = iif(status = 'IN_PROGRESS', 'SUCCESS', 'ended before'), sequence = sequence + 1, progress = 100,
		result = ${JSON.stringify(result)}, finished_at = ${finishedAt}, changed_at = ${finishedAt},
		callback = ${callbackOf(kind, task)} WHERE id = ${task.id}`;
	return { task, statements: [...begun.statements, end, rest(task.id), ...settle(task), settled(task.id)] };
};

/**
 * To FAILURE, from whatever open state, while what its work costs is still to be found out: the task stays due until that
 * is settled. Whoever holds it goes on holding it. Nobody is called back where its kind is gone, which alone knows how.
 */
export const giveUp = (kind: TaskKind | undefined, before: Task, failure: TaskFailure, at: number): Change => {
	const finishedAt = notBefore(before, at);
	const task: Task = { ...before, status: "FAILURE", failure, finishedAt, updatedAt: finishedAt };
	const end = sql`UPDATE tasks SET status = iif(status IN ('NOT_START', 'IN_PROGRESS'), 'FAILURE', 'ended before'),
		sequence = sequence + 1, failure = ${JSON.stringify(failure)}, finished_at = ${finishedAt},
		changed_at = ${finishedAt}, callback = ${callbackOf(kind, task)},
		callback_url = iif(${kind !== undefined}, callback_url, ''), due_at = ${Math.floor(at)}, tries = 0 WHERE id = ${task.id}`;
	return { task, statements: [end, rest(task.id)] };
};

/** To FAILURE, from whatever open state. `settle`: what charges for it, or gives back what was held. */
export const fail = (
	kind: TaskKind | undefined,
	before: Task,
	failure: TaskFailure,
	at: number,
	settle: (task: Task) => readonly Statement[],
): Change => {
	const { task, statements } = giveUp(kind, before, failure, at);
	return { task, statements: [...statements, ...settle(task), settled(task.id)] };
};

/** A new task: its row, what its upstream needs, and its first callback. Without effect when the client's idempotency key is taken. */
export interface NewTask {
	readonly task: Task;
	/** Whose share it takes of what all tasks share. */
	readonly caller: string;
	readonly input: Readonly<Record<string, unknown>>;
	readonly upstream: string;
	readonly parent?: { readonly upstreamId: string; readonly memo: Readonly<Record<string, unknown>> };
	readonly deadlineAt: number;
	readonly baseUrl: string;
	readonly idempotencyKey?: string;
	readonly fingerprint: string;
	/** The most it costs, in micro-dollars. */
	readonly most?: number;
	/** What its request says that a price may go by. */
	readonly said?: Said;
	/** What guards changed. */
	readonly words?: TaskWords;
	/** Where it was asked for from, and the tags of its call. */
	readonly address?: string;
	readonly tags?: Readonly<Record<string, string>>;
}

/** `fits`: whether there is room for its input. Without effect where there is none, or a twin with the same key was faster. */
export const insert = (kind: TaskKind, made: NewTask, fits: SQL): readonly Statement[] => {
	const { task } = made;
	const request = JSON.stringify(
		definedOnly({
			prompt: task.prompt,
			details: task.details,
			bound: task.bound,
			state: task.state,
			most: made.most,
			said: made.said,
			sent: made.words && [...made.words.sent],
			restore: made.words && [...made.words.restore],
			address: made.address,
			tags: made.tags,
		}),
	);
	return [
		sql`INSERT INTO tasks (id, token_id, caller, kind, action, model, request, status, sequence, callback_url, callback, base_url,
				submitted_at, changed_at, expires_at, upstream, parent, due_at, deadline_at, idempotency_key, fingerprint)
			SELECT ${task.id}, ${task.tokenId}, ${made.caller}, ${task.kind}, ${task.action}, ${task.model}, ${request}, 'NOT_START', 1,
				${task.callbackUrl}, ${callbackOf(kind, task)}, ${made.baseUrl}, ${task.submittedAt}, ${task.submittedAt},
				${task.expiresAt}, ${made.upstream}, ${made.parent ? JSON.stringify(made.parent) : null}, ${task.submittedAt},
				${made.deadlineAt}, ${made.idempotencyKey ?? null}, ${made.fingerprint} WHERE ${fits}
			ON CONFLICT DO NOTHING`,
		sql`INSERT INTO task_inputs (task_id, input) SELECT id, ${JSON.stringify(made.input)} FROM tasks WHERE id = ${task.id}
			ON CONFLICT DO NOTHING`,
	];
};

/** What a poll learnt short of an end: progress only ever grows. */
export const advance = (task: Task, percent: number | undefined): number =>
	percent === undefined || !Number.isFinite(percent)
		? task.progress
		: Math.max(task.progress, Math.min(mostProgress, Math.floor(percent)));
