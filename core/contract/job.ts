/** Work that recurs, by a schedule. */
import { slot } from "./token.ts";

/**
 * Runs never overlap in one process; every worker and node has its own. A failure is logged, and the job goes on. `signal` is
 * aborted when Portico stops or reloads, and the run is then waited for, ten seconds at most.
 *
 * @example
 * add(jobs, { name: "my-plugin: prune", schedule: "17 3 * * *", removes: "old", run: (signal) => prune(signal) });
 * // What one process alone is to do is claimed by a row.
 * add(jobs, {
 * 	name: "my-plugin: report",
 * 	schedule: "0 7 * * *",
 * 	async run(signal) {
 * 		const claim = sql`INSERT INTO my_reports (day) VALUES (date('now')) ON CONFLICT (day) DO NOTHING`;
 * 		const [claimed] = await needs.store.write([claim]);
 * 		if (claimed?.changes === 1) await report(signal);
 * 	},
 * });
 */
export interface Job {
	readonly name: string;
	/** A croner pattern, in the time zone of the machine; six fields begin with seconds, and `* * * * * *` begins at once. */
	readonly schedule: string;
	/** It removes for good what is old. So it rests for a day after the machine's clock was set by a day or more, which may have been a mistake. */
	readonly removes?: "old";
	run(signal: AbortSignal): Promise<void> | void;
}

/** Begun when this process serves, ended when it stops or reloads. */
export const jobs = slot<Job>("jobs");
