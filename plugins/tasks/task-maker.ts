/** Who a task is made by: the kind that reads and words it, and the upstream that does its work. */
import { slot, type WireRecord } from "#core";
import type { Cancellation, JobState, Show, Submission, TaskJob } from "./job.ts";
import type { Task, TaskOrder, TaskStatus, TaskUnits } from "./task.ts";

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

export const taskKinds = slot<TaskKind>("tasks.kinds");
export const taskUpstreams = slot<TaskUpstream>("tasks.upstreams");
