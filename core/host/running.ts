/** What runs of Portico: all that was built from one config, and its jobs. */
import type { HostLoad } from "../contract/host-info.ts";
import type { Job } from "../contract/job.ts";
import { runtimeName } from "../runtime/system.ts";
import type { Built } from "./build.ts";
import type { StartedJobs } from "./start-jobs.ts";

export interface Running extends Built {
	/** Absent until it has been started, and where it does not serve. */
	jobs?: StartedJobs;
	readonly ownJobs: readonly Job[];
}

/** A model call is among the handler's requests until its answer begins, and among the relay's until it ends. */
export const callsOf = ({ relay, handler }: Running): number => Math.max(relay?.open.size ?? 0, handler.waiting);

/** How the process does. `running`: all that still has calls. */
export const hostLoad = (
	running: readonly Running[],
	state: Pick<HostLoad, "version" | "reloaded" | "database">,
): HostLoad => {
	const calls = new Map<string, number>();
	let waiting = 0;
	for (const { relay } of running) {
		for (const { routed } of relay?.open ?? []) calls.set(routed.protocol, (calls.get(routed.protocol) ?? 0) + 1);
		waiting += relay?.waiting ?? 0;
	}
	return { ...state, runtime: runtimeName(), calls, waiting };
};
