/** What plugins tell when somebody looks; one that cannot, as its database is away, is left out and takes no other with it. */
import { type Clock, isFault, type Log } from "#core";
import type { Metric, MetricSource } from "./service.ts";

/** Shorter than workers wait for each other, and than anybody scrapes. */
const patienceMs = 1_000;

export const gather = async (sources: readonly MetricSource[], clock: Clock, log: Log): Promise<readonly Metric[]> => {
	const late = Promise.withResolvers<readonly Metric[]>();
	const cancel = clock.after(patienceMs, () => late.resolve([]));
	const told = async (read: MetricSource): Promise<readonly Metric[]> => {
		try {
			return await Promise.race([read(), late.promise]);
		} catch (error) {
			// Of a database that is away the log has it already.
			if (!isFault(error)) log.error("a plugin's metrics could not be read", { error: String(error) });
			return [];
		}
	};
	try {
		return (await Promise.all(sources.map(told))).flat();
	} finally {
		cancel();
	}
};
