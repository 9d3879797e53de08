import { expect, spyOn, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "./system-clock.ts";

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

test("a limit of five seconds, as callbacks have, is not late", () => {
	const timers = spyOn(globalThis, "setTimeout");
	try {
		systemClock.after(5_000, () => undefined)();
		expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([5_000]);
	} finally {
		timers.mockRestore();
	}
});

test("what was due already is due now, and the runtime has nothing to warn of", () => {
	const timers = spyOn(globalThis, "setTimeout");
	try {
		systemClock.after(-0.0005, () => undefined)();
		expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([0]);
	} finally {
		timers.mockRestore();
	}
});

test("long limits share timers, and are late by less than a hundredth, never early", () => {
	const timers = spyOn(globalThis, "setTimeout");
	try {
		const asked = Array.from({ length: 240 }, (_, index) => 3_600_000 + index * 250);
		for (const milliseconds of asked) systemClock.after(milliseconds, () => undefined)();
		const set = timers.mock.calls.map(([, delay]) => Number(delay));
		expect(set.length).toBeLessThan(10);
		expect(Math.min(...set)).toBeGreaterThanOrEqual(3_600_000);
		expect(Math.max(...set)).toBeLessThan(3_660_000 * 1.01);
	} finally {
		timers.mockRestore();
	}
});

test("a limit of months, longer than a system timer can wait, is waited for in parts", () => {
	const waits: { readonly fire: () => void; readonly delay: number }[] = [];
	const timers = spyOn(globalThis, "setTimeout").mockImplementation(((fire: () => void, delay: number) => {
		waits.push({ fire, delay });
		return {};
	}) as never);
	// At a time at which nobody else in this process has anything due: whoever had would share the timer.
	const now = spyOn(performance, "now").mockReturnValue(1e12);
	try {
		let fallen = 0;
		systemClock.after(3_000_000_000, () => fallen++);
		for (let at = 0; at < waits.length; at++) {
			expect([waits[at]?.delay, fallen]).toEqual([expect.any(Number), 0]);
			waits[at]?.fire();
		}
		const delays = waits.map(({ delay }) => delay);
		expect([fallen, Math.max(...delays) < 2 ** 31]).toEqual([1, true]);
		expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThanOrEqual(3_000_000_000);
	} finally {
		now.mockRestore();
		timers.mockRestore();
	}
});
