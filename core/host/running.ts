/** What runs of Portico: all that was built from one config, and its jobs. */
import type { Job } from "../contract/job.ts";
import type { Built } from "./build.ts";
import type { StartedJobs } from "./start-jobs.ts";

export interface Running extends Built {
	/** Absent until it has been started, and where it does not serve. */
	jobs?: StartedJobs;
	readonly ownJobs: readonly Job[];
}

/** A model call is among the handler's requests until its answer begins, and among the relay's until it ends. */
export const callsOf = ({ relay, handler }: Running): number => Math.max(relay?.open.size ?? 0, handler.waiting);
