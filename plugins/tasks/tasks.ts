/** What kinds of tasks may ask of the plugin `tasks`, which keeps the table, the worker, the result files and the callbacks. */
import { type Identified, type Route, service, type WireRecord } from "#core";
import type { ResultFile, Task, TaskFilter, TaskOrder } from "./task.ts";
import type { Connection, ConnectionOptions } from "./wire.ts";

/** Every question is asked in the name of a call: what belongs to another token does not exist. */
export interface Tasks {
	connect(options: ConnectionOptions): Connection;
	/** Where this client reaches Portico, for addresses that lead back to it; no slash at its end. */
	baseUrl(call: Identified): string;
	/** The task as the uniform routes show it. */
	view(task: Task): Readonly<Record<string, unknown>>;
	/** A reason of an upstream's as a client may see it: no key, no address, at most 500 characters. */
	publicReason(reason: string): string;
	/**
	 * A route by which tasks come: what it refuses once it has read an order has a row in the ledger, as `submit`'s refusals
	 * have.
	 *
	 * @example
	 * offers: myRoutes.map((route) => add(routes, needs.tasks.route(route))),
	 */
	route(route: Route): Route;
	/** Reads the JSON or multipart body of a new task, once it is certain that its token may have one. Throws `Fault`. */
	read(call: Identified): Promise<WireRecord>;
	/** Reads the body of a question about tasks, which a token may ask whatever its quota and its rate. Throws `Fault`. */
	readQuestion(call: Identified): Promise<WireRecord>;
	/** The callback address a body names, by any of the names clients use. `""`, blanks and null mean none. Throws `Fault`. */
	callbackUrlOf(body: WireRecord): string;
	/**
	 * Takes an order on: policies, quota, `Idempotency-Key`, address of the callback. Throws `Fault` for every refusal,
	 * and then nothing is kept.
	 */
	submit(call: Identified, order: TaskOrder): Promise<Task>;
	find(call: Identified, id: string): Promise<Task | undefined>;
	findAll(call: Identified, ids: readonly string[]): Promise<readonly Task[]>;
	list(call: Identified, filter: TaskFilter): Promise<{ readonly data: readonly Task[]; readonly more: boolean }>;
	/** Ends an open task as `cancelled`. Throws `Fault`: `not_found`, or `conflict` when it has ended. */
	cancel(call: Identified, id: string): Promise<Task>;
	/** Removes an ended task and its files; what it costs is charged all the same. Throws `Fault` as `cancel` does. */
	remove(call: Identified, id: string): Promise<Task>;
	/** Waits for the end of a task. After `limitMs`, or when the client leaves, the task as it then is. */
	ended(call: Identified, id: string, limitMs: number): Promise<Task>;
	/** Told of what upstreams show of a task on its way, where the worker is this node's, until the function that this gives is called. */
	watch(task: string, told: (preview: WireRecord) => void): () => void;
	/** The bytes of one file of a result, or a redirect to where they are. Throws `Fault` when there is none (yet). */
	content(call: Identified, task: Task, role: string | undefined, index: number): Promise<Response>;
	/** The bytes themselves, wherever they are. Throws `Fault`. */
	bytes(task: Task, file: ResultFile): Promise<Uint8Array>;
}

export const tasks = service<Tasks>("tasks");
