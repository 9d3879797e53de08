/** What runs of Portico: all that was built from one config, and its jobs. */
import type { Cron } from "croner";
import type { Job } from "../contract/job.ts";
import type { Built } from "./build.ts";

export interface Running extends Built {
	readonly crons: Cron[];
	readonly backupJobs: readonly Job[];
}

/** A model call is among the handler's requests until its answer begins, and among the relay's until it ends. */
export const callsOf = ({ relay, handler }: Running): number => Math.max(relay?.open.size ?? 0, handler.waiting);
