/** A task: what was asked for, how far it has come, and what came of it. */
import type { WireRecord } from "#core";
import type { TaskUnits } from "../prices/service.ts";
import type { TaskFailure } from "./job.ts";

export type { TaskUnits };

/** The states of every task, whatever its kind calls them. They only ever move forward. */
export type TaskStatus = "NOT_START" | "IN_PROGRESS" | "SUCCESS" | "FAILURE";

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
