import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "./clock.ts";

/** Sets a limit that never falls due and cancels it, as every call does; gives what the limit would have kept. */
const setAndCancel = (milliseconds: number): WeakRef<object> => {
	const body = { bytes: new Uint8Array(16) };
	systemClock.after(milliseconds, () => body.bytes.fill(1))();
	return new WeakRef(body);
};

test("a limit that was cancelled keeps nothing of its call", async () => {
	// Each falls due at a time of its own, so that each is the one for which the timer is set.
	const bodies = Array.from({ length: 100 }, (_, index) => setAndCancel(60_000 + index * 1_000));
	await nextTurn();
	Bun.gc(true);
	// The collector takes what looks like a reference on the stack for one, so a few may be left.
	expect(bodies.filter((body) => body.deref() !== undefined).length).toBeLessThan(10);
});
