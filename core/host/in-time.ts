/** Waits for what a plugin does before it serves. It may wait for what never comes: nobody is to wait with it. */
import { clearTimeout, setTimeout } from "node:timers";
import { deny, Fault } from "../contract/fault.ts";

/** How long a plugin may take for each of these while others wait. */
export const patienceMs = 30_000;

/** Throws `Fault`, which completes a complaint about the plugin, when `work` has not ended by then. */
export const inTime = async <T>(work: T | Promise<T>, what: string, milliseconds = patienceMs): Promise<T> => {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		// The clock of services would let the process end meanwhile, as if all were well.
		timer = setTimeout(() => {
			reject(new Fault(deny("invalid_request", `${what} has not ended after ${milliseconds / 1000} seconds`)));
		}, milliseconds);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
};
