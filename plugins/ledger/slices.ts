/** Long work in the one process that also carries the calls: some of it at a time, and they get their turn in between. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Some milliseconds of what is done with sums. */
const atOnce = 500;

/** `work` on some of the things at a time, in their order. */
export const inTurns = async <T, R>(things: readonly T[], work: (some: readonly T[]) => R): Promise<R[]> => {
	const done: R[] = [];
	for (let from = 0; from < things.length; from += atOnce) {
		if (from > 0) await nextTurn();
		done.push(work(things.slice(from, from + atOnce)));
	}
	return done;
};

/** A line in which each work begins when the one before is over: two at once would hold up others twice as long. */
export const createLine = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const done = last.then(work);
		last = done.catch(() => undefined);
		return done;
	};
};
