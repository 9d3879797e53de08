/** A task as its upstream sees it: what it is to do, where it stands, what it made. */
import type { WireRecord } from "#core";

export interface TaskFailure {
	/** snake_case: `cancelled`, `task_timeout`, `content_policy_violation`, `upstream_refused` … */
	readonly code: string;
	/** In words for the client: no key, no address of an upstream. */
	readonly reason: string;
}

/** A task as its upstream gets it. */
export interface TaskJob {
	/** The task's id: never used twice, so upstreams that take an id of ours get this one. */
	readonly id: string;
	readonly action: string;
	/** The name the upstream knows. */
	readonly model: string;
	readonly prompt: string;
	readonly details: WireRecord;
	/** Empty once the job has been submitted. */
	readonly input: WireRecord;
	/** What the upstream calls it, once it has been submitted. */
	readonly upstreamId?: string;
	/** What `submit` asked to be kept. */
	readonly memo: WireRecord;
	/** The upstream's name for the job this one goes on from, and what was kept of it. */
	readonly parent?: { readonly upstreamId: string; readonly memo: WireRecord };
	/** Milliseconds since 1970. */
	readonly submittedAt: number;
}

/** Shows whoever watches a job what there is of it so far: a picture half drawn. */
export type Show = (job: Pick<TaskJob, "id">, preview: WireRecord) => void;

/**
 * One file of a result, as an upstream gives it: an address that is public, one that needs a key, or bytes. Kept bytes go out as
 * `application/octet-stream` where they are no picture, sound, film or body that browsers know.
 */
export type MadeFile =
	| {
			readonly role: string;
			readonly mediaType: string;
			readonly url: string;
			/** For an address of the upstream's own network: the bytes at it; without them the address is passed on as it is. */
			readonly fetchInside?: (signal: AbortSignal) => Promise<Uint8Array | undefined>;
	  }
	| {
			readonly role: string;
			readonly mediaType: string;
			readonly fetch: (signal: AbortSignal) => Promise<Uint8Array>;
	  }
	| { readonly role: string; readonly mediaType: string; readonly bytes: Uint8Array };

export interface Made {
	readonly files: readonly MadeFile[];
	readonly title?: string;
	/** Seconds. */
	readonly duration?: number;
	/** What the upstream says that it made, by the names of a request's fields (`quality`, `size`): what it costs may go by it. */
	readonly told?: WireRecord;
	readonly extra?: WireRecord;
}

/** Where a job stands. */
export type JobState =
	| { readonly state: "waiting" }
	| { readonly state: "running"; readonly percent?: number }
	| { readonly state: "done"; readonly made: Made }
	/** The upstream's own word that it made nothing: nothing is charged. */
	| { readonly state: "failed"; readonly failure: TaskFailure }
	/** A word that is not known; many in a row end the task. */
	| { readonly state: "strange"; readonly word: string }
	/** The upstream says there is no such job; three in a row end the task. */
	| { readonly state: "missing" }
	/** No answer, or one that says nothing about the job: asked again later. */
	| { readonly state: "unanswered"; readonly retryAfterMs?: number };

/** What came of a submission. */
export type Submission =
	| { readonly outcome: "accepted"; readonly upstreamId: string; readonly memo?: WireRecord; readonly job?: JobState }
	/** An upstream that answers when the work is done. */
	| { readonly outcome: "done"; readonly made: Made; readonly upstreamId?: string }
	/** It was refused for good: nothing was made. */
	| { readonly outcome: "refused"; readonly failure: TaskFailure }
	/** It is certain that nothing was made, and asking again or elsewhere may help. `unreached`: it was not there to say so itself. */
	| { readonly outcome: "busy"; readonly retryAfterMs?: number; readonly unreached?: boolean }
	/**
	 * It may or may not have been taken on, so it is never sent again. `saidFailed`: the upstream itself answered that it
	 * failed, so nothing is charged.
	 */
	| { readonly outcome: "unknown"; readonly saidFailed?: boolean };

/** What came of asking an upstream to stop a job. */
export type Cancellation =
	/** It says that it bills nothing for the job. */
	| "unbilled"
	/** It was told; whether it stops, and what it bills, it does not say. */
	| "told"
	/** It did not answer: asked again a little later. */
	| "unanswered";
