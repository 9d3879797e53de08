/**
 * What kinds of tasks are written against. A kind adds its routes and its words; an upstream does its work; `tasks`
 * keeps the table, the states, the worker, the result files and the callbacks.
 */
import { type Identified, type Route, service, slot, type WireRecord } from "#core";
import type { Cancellation, JobState, Show, Submission, TaskFailure, TaskJob } from "./job.ts";
import type { Connection, ConnectionOptions } from "./wire.ts";

export type { Cancellation, JobState, Made, MadeFile, Show, Submission, TaskFailure, TaskJob } from "./job.ts";
export {
	findKlingTask,
	klingAnswer,
	klingFields,
	klingPage,
	klingTask,
	klingWords,
	renderKlingDenial,
} from "./kling.ts";
export { type PictureData, pictureData, pictureOf } from "./pictures.ts";
export { upstreamSettings } from "./upstream-settings.ts";
export type { Answer, AskOptions, Connection, ConnectionOptions } from "./wire.ts";

/** The states of every task, whatever its kind calls them. They only ever move forward. */
export type TaskStatus = "NOT_START" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";

/** What a task makes, for its price. */
export interface TaskUnits {
	/** Or whatever else it makes by the piece, at the price's `perImage`. */
	readonly images?: number;
	/** Unfinished pictures that were shown. */
	readonly partialImages?: number;
	readonly seconds?: number;
	readonly songs?: number;
}

/** What a client asked for, in whatever dialect, as its kind has read it. */
export interface TaskOrder {
	readonly kind: string;
	/** In capitals: `IMAGINE`, `TEXT_TO_VIDEO`, `MUSIC`. */
	readonly action: string;
	readonly model: string;
	readonly prompt: string;
	/** Small things that views show later; kept with the task. */
	readonly details: WireRecord;
	/** What only the upstream needs (images, vendor's fields); dropped when the task ends. */
	readonly input: WireRecord;
	/** The client's own note, given back where its dialect does so. */
	readonly state?: string;
	/** The address for callbacks, as `callbackUrlOf` found it; absent or empty for none. */
	readonly callbackUrl?: string;
	/**
	 * The task this one goes on from: it must be the same token's, taken on and not failed; its upstream does this one too.
	 * The same holds for whatever `input` names by an id, which the upstream is told by its own name for it.
	 */
	readonly follows?: string;
	/** The most it can make. What it made is never charged higher. */
	readonly bound: TaskUnits;
}

/** One file of a result, with an address anybody may fetch. */
export interface ResultFile {
	/** `image`, `video`, `cover`, `audio`. */
	readonly role: string;
	readonly url: string;
	readonly mediaType: string;
}

export interface TaskResult {
	readonly files: readonly ResultFile[];
	readonly title?: string;
	/** Seconds, not rounded. */
	readonly duration?: number;
	/** What its upstream says that it made, by the names of a request's fields: what it costs may go by it. */
	readonly told?: WireRecord;
	/** What one kind's views show besides (clips, buttons, revised prompts). */
	readonly extra?: WireRecord;
}

/** A task as it stands. Times in milliseconds since 1970, 0 where they have not come. */
export interface Task {
	readonly id: string;
	readonly tokenId: string;
	readonly kind: string;
	readonly action: string;
	readonly model: string;
	readonly prompt: string;
	readonly details: WireRecord;
	/** The most it is charged for. */
	readonly bound: TaskUnits;
	readonly state?: string;
	readonly status: TaskStatus;
	/** Whole percent; 100 only in `SUCCESS`. */
	readonly progress: number;
	readonly result?: TaskResult;
	readonly failure?: TaskFailure;
	/** `""` for none. */
	readonly callbackUrl: string;
	readonly submittedAt: number;
	readonly startedAt: number;
	readonly finishedAt: number;
	readonly updatedAt: number;
	/** When the task and its files are removed. */
	readonly expiresAt: number;
}

/** A kind of task. */
export interface TaskKind {
	readonly name: string;
	/** What its callbacks and the list of deliveries call each state. */
	readonly words: Readonly<Record<TaskStatus, string>>;
	/** Asked for when a client of the uniform route names none. */
	readonly defaultModel: string;
	/** After so many minutes a task that has not ended has failed, unless its upstream says otherwise. */
	readonly timeoutMinutes: number;
	/** The body of `POST /v1/tasks`. Throws `Fault` when it cannot be one. */
	read(body: WireRecord): TaskOrder | Promise<TaskOrder>;
	/** The callback for the state the task is in, as the JSON text that is sent: every attempt has these very bytes. */
	callback(task: Task): string;
	/** What a finished task made. */
	units(task: Task): TaskUnits;
}

/** Something that does the work of one kind. */
export interface TaskUpstream {
	/** Unique among task upstreams. */
	readonly name: string;
	readonly kind: string;
	/** Its base address: where that is private, files that it names may be. */
	readonly url?: string;
	/** Names, or patterns with `*`, of the models it does. An exact name is preferred to a pattern, a longer pattern to a shorter. */
	readonly models: readonly string[];
	/** Its own names for models, by the name that clients ask for; others go by the name asked for. */
	readonly rename?: Readonly<Record<string, string>>;
	/** The actions it can do; absent for all. */
	readonly actions?: readonly string[];
	/** `single`: its account is one client's alone, so ids of what is kept there are forwarded unasked. */
	readonly tenancy?: "single" | undefined;
	/** Nothing is charged for its work. */
	readonly free?: boolean;
	/** Requests that may be under way at once; fewer while it is overloaded. */
	readonly concurrency: number;
	/** Milliseconds to wait before asking for the first time, the second …; the last is kept. */
	readonly pollDelaysMs: readonly number[];
	readonly timeoutMinutes?: number;
	/** What it throws is `unknown`: never sent again, and charged. Where nothing was sent, answer `busy`; `Tasks.connect` tells the two apart. */
	submit(job: TaskJob, signal: AbortSignal, show: Show): Promise<Submission>;
	/**
	 * Asks after jobs; the answer has a state for each, in their order. Several are given only where `pollsTogether` allows. After what it
	 * throws it is asked again, as after `unanswered`.
	 */
	poll?(jobs: readonly TaskJob[], signal: AbortSignal, show: Show): Promise<readonly JobState[]>;
	/** How many jobs one `poll` may ask after; 1 unless said. */
	readonly pollsTogether?: number;
	/** Finds a job by our own id, after a submission whose outcome is not known. Undefined when that cannot be told. */
	find?(job: TaskJob, signal: AbortSignal): Promise<string | undefined>;
	/** Asks it to stop a job that nobody waits for any more. Without it, or without its word that it bills nothing, the job is charged. */
	cancel?(job: TaskJob, signal: AbortSignal): Promise<Cancellation>;
}

export interface TaskFilter {
	readonly kind?: string;
	readonly status?: TaskStatus;
	/** The route by which it came, where its dialect has several, as `details.maker` has it. */
	readonly maker?: string;
	/** The client's own name for the task, as `details.externalId` has it. */
	readonly externalId?: string;
	/** The id after which to go on. */
	readonly after?: string;
	readonly limit: number;
	/** How many are left out before the first. */
	readonly skip?: number;
	readonly order?: "asc" | "desc";
}

/** What kinds ask of `tasks`. Every question is asked in the name of a call: what belongs to another token does not exist. */
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
export const taskKinds = slot<TaskKind>("tasks.kinds");
export const taskUpstreams = slot<TaskUpstream>("tasks.upstreams");
