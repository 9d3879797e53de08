import { expect, test } from "bun:test";
import { ClockWatch } from "./clock-watch.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Time goes on by `pass`; `set` moves what the wall shows beside that. */
const world = () => {
	let [wall, grown] = [Date.UTC(2041, 0, 1), 5000];
	const clock = { now: () => wall, monotonic: () => grown, after: () => () => undefined };
	return {
		watch: new ClockWatch(clock),
		now: () => wall,
		pass(milliseconds: number) {
			wall += milliseconds;
			grown += milliseconds;
		},
		set(byMs: number) {
			wall += byMs;
		},
	};
};

test("time that passes, and corrections of hours, are no clock that was set", () => {
	const { watch, pass, set } = world();
	for (const byMs of [0, 30, -2000, hour, -hour, day - 1]) {
		set(byMs);
		pass(400 * day);
		expect(watch.wasSet()).toBeUndefined();
	}
});

test("a year ahead for a minute: told at once, and for a day after it was put right", () => {
	const { watch, now, pass, set } = world();
	set(365 * day);
	const since = now();
	expect(watch.wasSet()).toMatchObject({ byMs: 365 * day, since });
	pass(60_000);
	expect(watch.wasSet()).toMatchObject({ byMs: 365 * day, since });
	set(-365 * day);
	expect(watch.wasSet()).toMatchObject({ byMs: -365 * day, since: now() });
	pass(day - 1);
	expect(watch.wasSet()).toBeDefined();
	pass(1);
	expect(watch.wasSet()).toBeUndefined();
});
