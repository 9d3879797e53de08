/** The service that kinds use: every question is asked in the name of a call, so what belongs to another token does not exist. */
import {
	Fault,
	fetchNamed,
	type Identified,
	isFault,
	isPrivateUpstream,
	isWebAddress,
	type Log,
	systemResolve,
	type TaskAuthority,
	type TokenRoute,
} from "#core";
import { bodyBytes } from "./answer-body.ts";
import { readFields } from "./body.ts";
import { callbackUrlOf } from "./callback-url.ts";
import type { Catalogue } from "./catalogue.ts";
import { createConnection, publicReason } from "./connection.ts";
import type { EndWaiters } from "./end-waiters.ts";
import type { Endings } from "./endings.ts";
import type { Files } from "./files.ts";
import { noSuchTask } from "./no-such-task.ts";
import type { Previews } from "./previews.ts";
import type { Task, TaskOrder, Tasks } from "./service.ts";
import { idempotencyKeyOf } from "./submission.ts";
import type { TaskStore } from "./task-store.ts";
import type { UpstreamWatches } from "./upstream-watch.ts";
import { taskView } from "./views.ts";

interface TasksServiceOptions {
	readonly log: Log;
	readonly watches: UpstreamWatches;
	readonly taskStore: TaskStore;
	readonly endings: Endings;
	readonly files: Files;
	readonly waiting: EndWaiters;
	readonly previews: Previews;
	readonly catalogue: Catalogue;
	readonly bodyLimitBytes: number;
	/** The proxy that requests to upstreams go by. */
	readonly proxy: string | undefined;
	readonly authority: Pick<TaskAuthority, "beforeBody" | "refused">;
	baseUrl(call: Identified): string;
	/** Milliseconds that only grow. */
	monotonic(): number;
	submit(call: Identified, order: TaskOrder): Promise<Task>;
}

export const gone = (): Fault =>
	new Fault({ kind: "not_found", code: "content_gone", message: "The file is not kept any more." });

export const hasEnded = ({ status }: Task): boolean => status === "SUCCESS" || status === "FAILURE";

const cancelled = { code: "cancelled", reason: "cancelled" };

export const createTasksService = (options: TasksServiceOptions): Tasks => {
	const { taskStore, files } = options;
	/** Calls whose order has been read and not yet been handed over: from then on whoever takes it on writes the row. */
	const reading = new WeakSet<Identified>();

	const noted = ({ handle, ...route }: TokenRoute): TokenRoute => ({
		...route,
		async handle(call) {
			try {
				return await handle(call);
			} catch (error) {
				if (isFault(error) && reading.has(call)) options.authority.refused(call, undefined, error.denial);
				throw error;
			}
		},
	});

	const known = async (call: Identified, id: string): Promise<Task> => {
		const task = await taskStore.find(call.token.id, id);
		if (!task) throw noSuchTask();
		return task;
	};

	const beingRead = new Map<string, Promise<Task>>();
	/** The same for all who are told of its end at once. */
	const knownOnce = async (call: Identified, id: string): Promise<Task> => {
		const key = `${call.token.id} ${id}`;
		const read = beingRead.get(key) ?? known(call, id).finally(() => beingRead.delete(key));
		beingRead.set(key, read);
		return await read;
	};

	const isRepeated = async (call: Identified): Promise<boolean> => {
		const key = idempotencyKeyOf(call);
		return key !== undefined && (await taskStore.byIdempotencyKey(call.token.id, key)) !== undefined;
	};

	const upstreamUrlOf = async (task: Task): Promise<string | undefined> =>
		options.catalogue.upstream((await taskStore.work(task.id))?.upstream ?? "")?.url;

	return {
		async read(call) {
			const denial = await options.authority.beforeBody(call, () => isRepeated(call));
			if (denial) throw new Fault(denial);
			reading.add(call);
			return await readFields(call, options.bodyLimitBytes);
		},
		readQuestion: (call) => readFields(call, options.bodyLimitBytes),
		callbackUrlOf,
		connect: (connection) => {
			const { log, proxy, watches } = options;
			const watch = watches.of(connection.name ?? new URL(connection.url).host);
			return createConnection(connection, { log, proxy, watch });
		},
		publicReason,
		view: taskView,
		baseUrl: options.baseUrl,
		submit(call, order) {
			reading.delete(call);
			return options.submit(call, order);
		},
		route: (route) => ({ ...(route.access === "token" ? noted(route) : route), protocol: "tasks" }),
		find: (call, id) => taskStore.find(call.token.id, id),
		findAll: (call, ids) => taskStore.findAll(call.token.id, ids.slice(0, 1000)),
		list: (call, filter) => taskStore.list(call.token.id, filter),
		async cancel(call, id) {
			const row = await taskStore.work(id);
			if (row?.task.tokenId !== call.token.id) throw noSuchTask();
			// What it costs is settled by the worker, which first asks the upstream to stop.
			if (!hasEnded(row.task)) await options.endings.giveUp(row, cancelled);
			const task = await known(call, id);
			if (hasEnded(row.task) || task.failure?.code !== cancelled.code)
				throw new Fault({
					kind: "conflict",
					code: "task_ended",
					message: `The task has ended (${task.status}); there is nothing to cancel.`,
				});
			return task;
		},
		async remove(call, id) {
			const task = await known(call, id);
			if (!hasEnded(task) || !(await taskStore.remove(call.token.id, id)))
				throw new Fault({ kind: "conflict", code: "task_open", message: "The task has not ended; cancel it first." });
			await files.remove(id);
			return task;
		},
		async ended(call, id, limitMs) {
			const { signal } = call.request;
			const until = options.monotonic() + limitMs;
			// Before it is looked at: what ends meanwhile is told.
			const waiting = options.waiting.begin(id, { caller: call.caller, limitMs, signal });
			try {
				const task = await known(call, id);
				if (hasEnded(task) || options.monotonic() >= until || signal.aborted) return task;
				await waiting.over;
				return await knownOnce(call, id);
			} finally {
				waiting.leave();
			}
		},
		watch: (task, told) => options.previews.watch(task, told),
		async content(call, task, role, index) {
			if (task.status !== "SUCCESS")
				throw new Fault({
					kind: "invalid_request",
					code: "task_not_finished",
					message: `The task has no result: its status is ${task.status}.`,
				});
			const found = (task.result?.files ?? []).filter((file) => role === undefined || file.role === role)[index];
			if (!found)
				throw new Fault({
					kind: "not_found",
					code: "content_not_found",
					message: "The task's result has no such file.",
				});
			const own = ownFile(found.url, task.id);
			if (own === undefined && !isWebAddress(found.url)) throw gone();
			if (own === undefined) return Response.redirect(found.url, 302);
			const kept = await files.open(task.id, own, call.request.headers.get("range"));
			if (!kept) throw gone();
			return kept;
		},
		async bytes(task, file) {
			const own = ownFile(file.url, task.id);
			if (own === undefined)
				return await fetched(file.url, await upstreamUrlOf(task)).catch(() => Promise.reject(gone()));
			const kept = await files.open(task.id, own, null);
			if (!kept) throw gone();
			return new Uint8Array(await kept.arrayBuffer());
		},
	};
};

/** How long a client waits for a file that stands elsewhere. */
const fetchMs = 60_000;

/** A file that an upstream keeps itself. Rejects when it is not there, does not come, is larger than any result, or may not be fetched. */
const fetched = async (url: string, upstream: string | undefined): Promise<Uint8Array> => {
	const response = await fetchNamed(url, {
		signal: AbortSignal.timeout(fetchMs),
		allowPrivateNetworks: upstream !== undefined && (await isPrivateUpstream(upstream, systemResolve)),
		resolve: systemResolve,
	});
	if (!response.ok) throw new TypeError(`a result file could not be fetched: ${response.status}`);
	return await bodyBytes(response);
};

/** The name of a kept file, from the address it was given; undefined for an address elsewhere. */
const ownFile = (url: string, id: string): string | undefined => {
	const { pathname } = new URL(url);
	const folder = `/v1/tasks/${id}/files/`;
	return pathname.startsWith(folder) ? pathname.slice(folder.length) : undefined;
};
