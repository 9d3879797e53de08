/** Limits how long another's program is waited for: when its time is over it is told to stop, and nobody waits for it any more. */
import type { Clock } from "#core";

/** Somebody's program did not end in its time; it may go on for ever. */
export class OutOfTime extends Error {
	override readonly name = "OutOfTime";

	constructor() {
		super("it did not end in its time and is no longer waited for");
	}
}

/** Does `work`, whose signal is aborted with `signal` or after `limitMs`. Rejects with `OutOfTime` when it has not ended by then. */
export type WithinTime = <T>(
	limitMs: number,
	signal: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

export const createWithinTime =
	(clock: Clock): WithinTime =>
	async (limitMs, signal, work) => {
		const over = Promise.withResolvers<never>();
		const limit = new AbortController();
		const cancel = clock.after(limitMs, () => {
			// Before it hears of it: what it makes of its end does not count.
			over.reject(new OutOfTime());
			limit.abort(new OutOfTime());
		});
		try {
			return await Promise.race([work(AbortSignal.any([signal, limit.signal])), over.promise]);
		} finally {
			cancel();
		}
	};
