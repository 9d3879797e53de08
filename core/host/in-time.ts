/** Waits for what a plugin does before it serves, and for its stop. It may wait for what never comes: nobody is to wait with it. */
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
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

/** Waits for `work` for as long as it lasts, and tells, once, where that is longer than others would wait. */
export const toldWhenLate = async (
	work: Promise<void> | void,
	tell: () => void,
	milliseconds: number,
): Promise<void> => {
	// It keeps the process alive: one with nothing left to do would end before anybody knew what it waits for.
	const timer = setTimeout(tell, milliseconds);
	try {
		await work;
	} finally {
		clearTimeout(timer);
	}
};

/** How long others wait for what has not ended once nothing may go on any longer: from then on it ends beside them. */
const besideMs = 1000;

/** Waits for a stop that somebody else waits for to its end, as long as what hangs there does not keep others from theirs. */
export const stoppedOrLate = (
	stopping: Promise<void> | undefined,
	mustEnd: AbortSignal,
	milliseconds = besideMs,
): Promise<void> => stopInTime(stopping, mustEnd, milliseconds).catch(() => undefined);

/** How long a plugin may take to stop once nothing may go on any longer. */
const stopMs = 10_000;

/** As `inTime`, of a stop: as long as it takes until `mustEnd` is aborted, and then for a while. */
export const stopInTime = async (
	stopping: void | Promise<void>,
	mustEnd: AbortSignal,
	milliseconds = stopMs,
): Promise<void> => {
	// While only this is waited for, nothing else would keep the process alive until then.
	const alive = setInterval(() => undefined, 60_000);
	const ends = Promise.withResolvers<void>();
	const end = (): void => ends.resolve();
	if (mustEnd.aborted) end();
	else mustEnd.addEventListener("abort", end, { once: true });
	try {
		await Promise.race([stopping, ends.promise]);
		await inTime(stopping, "its stop", milliseconds);
	} finally {
		mustEnd.removeEventListener("abort", end);
		clearInterval(alive);
	}
};
