/** Recurring work. */
import { slot } from "./token.ts";

/**
 * `schedule` is a croner pattern, seconds first when six fields; one of every second (`* * * * * *`) begins at once. Runs never overlap; a failure is logged and the job goes on.
 * `signal` is aborted when Portico stops or reloads; a run is waited for then, for ten seconds at most.
 *
 * @example
 * add(jobs, { name: "my-plugin: prune", schedule: "17 3 * * *", removes: "old", run: (signal) => prune(signal) });
 */
export interface Job {
	readonly name: string;
	readonly schedule: string;
	/** It removes what is old for good: so it does not run for a day after the machine's clock was set by a day or more, which may have been a mistake. */
	readonly removes?: "old";
	run(signal: AbortSignal): Promise<void> | void;
}

/** Recurring work. Begun when this process serves, ended when it stops or reloads. */
export const jobs = slot<Job>("jobs");
