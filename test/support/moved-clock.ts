/** A clock that tests move. Timers fire in order of their time, each seeing the moment it was set for. */
import type { Clock } from "#core";

export interface MovedClock extends Clock {
	/** Moves both kinds of time forward and fires what becomes due on the way. */
	advance(milliseconds: number): void;
	/** Sets the wall clock alone, as an operator or a time server would: `monotonic` and timers do not notice. */
	jump(milliseconds: number): void;
	/** How many timers wait. */
	readonly waiting: number;
}

export const createMovedClock = (startAt = 1_790_000_000_000): MovedClock => {
	let wall = startAt;
	let monotonic = 0;
	let serial = 0;
	const timers = new Map<number, { readonly at: number; readonly action: () => void }>();
	const next = (until: number): [number, { at: number; action: () => void }] | undefined => {
		let found: [number, { at: number; action: () => void }] | undefined;
		for (const entry of timers) if (entry[1].at <= until && (!found || entry[1].at < found[1].at)) found = entry;
		return found;
	};
	return {
		now: () => wall,
		monotonic: () => monotonic,
		after(milliseconds, action) {
			const id = ++serial;
			timers.set(id, { at: monotonic + Math.max(0, milliseconds), action });
			return () => timers.delete(id);
		},
		advance(milliseconds) {
			const until = monotonic + milliseconds;
			for (let entry = next(until); entry; entry = next(until)) {
				timers.delete(entry[0]);
				wall += entry[1].at - monotonic;
				monotonic = entry[1].at;
				entry[1].action();
			}
			wall += until - monotonic;
			monotonic = until;
		},
		jump(milliseconds) {
			wall += milliseconds;
		},
		get waiting() {
			return timers.size;
		},
	};
};

/** Waits, in real time, until `condition` holds: for work that goes through sockets or the database while the moved clock stands still. */
export const until = async (
	condition: () => boolean | Promise<boolean>,
	what = "the condition",
	limitMs = 20_000,
): Promise<void> => {
	const end = performance.now() + limitMs;
	while (!(await condition())) {
		if (performance.now() > end) throw new Error(`${what} did not come true within ${limitMs} ms`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
};
