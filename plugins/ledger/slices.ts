/** Long work in the one process that also carries the calls: some of it at a time, and they get their turn in between. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "#core";

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

/**
 * Lines in which each work begins when the one before is over, one for each who asks: two at once would hold up others twice as long,
 * and nobody waits for what another has asked a hundred times. Where the database is a process of its own there is no line: it
 * holds up nobody here.
 */
export const createLines = (store: Pick<Store, "shared">): (<T>(who: string, work: () => Promise<T>) => Promise<T>) => {
	const lasts = new Map<string, Promise<unknown>>();
	return (who, work) => {
		if (store.shared) return work();
		const done = (lasts.get(who) ?? Promise.resolve()).then(work);
		const last = done
			.catch(() => undefined)
			.then(() => {
				if (lasts.get(who) === last) lasts.delete(who);
			});
		lasts.set(who, last);
		return done;
	};
};
