/** Recurring work of a generation: each job by its schedule, never twice at once. */
import { Cron } from "croner";
import type { Job } from "../contract/job.ts";
import { describe, type Log } from "../contract/log.ts";

/** A failure is logged and the job goes on; whoever started them stops them. */
export const startJobs = (jobs: readonly Job[], log: Log): readonly Cron[] =>
	jobs
		.map((job) => {
			const failed = (error: unknown): void => log.error("a job failed", { job: job.name, error: describe(error) });
			return { job, cron: new Cron(job.schedule, { protect: true, unref: true, catch: failed }) };
		})
		// Only now: a schedule that is none throws before any job has begun.
		.map(({ job, cron }) => {
			const abort = new AbortController();
			return cron.schedule(() => job.run(abort.signal));
		});
