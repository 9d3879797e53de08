/** The real clock. Long waits share timers, so that the limits of many calls cost next to nothing. */
import type { Clock } from "../contract/clock.ts";

/** Waits longer than this need no exactness; such timers share the system's. Milliseconds. */
const coarseFrom = 5_000;

/** Actions by the time at which they fall due, one system timer for each such time. */
const coarse = new Map<number, Set<() => void>>();

const unref = (timer: unknown): void => (timer as { unref?: () => void }).unref?.();

/**
 * The actions due at a time that nobody had asked for yet. By itself, because a timer keeps whatever is in scope where it
 * was set: beside an action it would keep that action, and the call behind it, long after it was cancelled.
 */
const newlyDue = (at: number): Set<() => void> => {
	const due = new Set<() => void>();
	coarse.set(at, due);
	const fire = (): void => {
		coarse.delete(at);
		for (const one of due) one();
	};
	unref(setTimeout(fire, at - performance.now()));
	return due;
};

/** A system timer that is asked for more than 2³¹ - 1 milliseconds (25 days) fires at once. */
const longest = 1_000_000_000;

/** For as long as no system timer waits, such as the limit of somebody who wants none: one wait after the other. */
const afterLong = (milliseconds: number, action: () => void): (() => void) => {
	let cancel = afterCoarsely(longest, () => {
		cancel = afterCoarsely(milliseconds - longest, action);
	});
	return () => cancel();
};

/**
 * Every call has several long limits that hardly ever fall due: setting one must cost next to nothing. Longer waits share
 * more: they may be late by less than a hundredth, so that the timers of an hour's calls, each with a limit of an hour,
 * are some hundred and not four a second.
 */
const afterCoarsely = (milliseconds: number, action: () => void): (() => void) => {
	if (milliseconds > longest) return afterLong(milliseconds, action);
	let step = 250;
	while (step * 250 < milliseconds) step *= 2;
	const at = Math.ceil((performance.now() + milliseconds) / step) * step;
	const due = coarse.get(at) ?? newlyDue(at);
	due.add(action);
	return () => due.delete(action);
};

/** What was due a moment ago is due now: of a time that is less than nothing the runtime warns, amid the lines of the log. */
const afterExactly = (milliseconds: number, action: () => void): (() => void) => {
	const timer = setTimeout(action, Math.max(0, milliseconds));
	unref(timer);
	return () => clearTimeout(timer);
};

/** The real clock. */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after: (milliseconds, action) =>
		milliseconds > coarseFrom ? afterCoarsely(milliseconds, action) : afterExactly(milliseconds, action),
};
