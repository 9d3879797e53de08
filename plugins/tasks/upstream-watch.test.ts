/** What is told of an upstream of tasks that fails, and when that is over. */
import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { UpstreamWatches } from "./upstream-watch.ts";

const watchOne = () => {
	const clock = createMovedClock();
	const told: string[] = [];
	const note = (message: string) => void told.push(message);
	const log = { debug: note, info: note, warn: note, error: note, of: () => log };
	const alerts: string[] = [];
	const watches = new UpstreamWatches({
		clock,
		log,
		keyRefused: (name, status) => note(`alert ${name} ${status}`),
		failing: (name, message) => void alerts.push(`${name} fails: ${message}`),
		recovered: (name) => void alerts.push(`${name} answers`),
	});
	return { clock, told, alerts, watches, watch: watches.of("kling") };
};

test("answers that tell of a failure count three in a row, and one good one ends it", () => {
	const { told, watches, watch } = watchOne();
	for (const status of [502, 502, 200, 500, 503]) watch.answered(status);
	expect([told, watches.unwell()]).toEqual([[], []]);
	for (const status of [502, 504]) watch.answered(status);
	expect(watches.unwell()).toMatchObject([
		{
			upstream: "kling",
			lastFailure: { message: "It answered that it failed (status 504).", advice: expect.any(String) },
		},
	]);
	watch.answered(404);
	expect(watches.unwell()).toEqual([]);
	expect(told).toEqual(["an upstream of tasks fails", "an upstream of tasks answers again"]);
});

test("since when, and when last; one failed answer in an outage does not end it", () => {
	const { clock, told, watches, watch } = watchOne();
	const begun = clock.now();
	watch.failed(Object.assign(new TypeError("no"), { code: "ECONNREFUSED" }));
	clock.advance(5_000);
	watch.failed(new DOMException("late", "TimeoutError"));
	const at = (time: number) => new Date(time).toISOString();
	const [known] = watches.unwell();
	expect(known).toMatchObject({ failingSince: at(begun), lastFailure: { at: at(begun + 5_000) } });
	expect(known?.lastFailure).toMatchObject({
		message: "It did not answer in time.",
		advice: expect.stringMatching(/slow/),
	});
	expect(told).toEqual(["an upstream of tasks cannot be reached"]);
	expect(watches.of("kling")).toBe(watch);
});

test("a refused key is told of once, by an alert too", () => {
	const { told, watches, watch } = watchOne();
	for (const status of [401, 403]) watch.answered(status);
	expect(told).toEqual(["an upstream of tasks refused Portico's own key", "alert kling 401"]);
	expect(watches.unwell()).toMatchObject([{ lastFailure: { message: "It refused Portico's key (status 403)." } }]);
});

test("an alert is raised at the third in a row, of whatever kind, and once when that is over", () => {
	const { alerts, watch } = watchOne();
	const refused = Object.assign(new TypeError("no"), { code: "ECONNREFUSED" });
	watch.failed(refused);
	watch.replaced(200);
	expect(alerts).toEqual([]);
	for (let again = 0; again < 3; again++) watch.failed(refused);
	expect(alerts).toEqual(["kling fails: It could not be reached. (ECONNREFUSED)"]);
	for (const status of [200, 200]) watch.answered(status);
	expect(alerts.slice(1)).toEqual(["kling answers"]);
});

test("the first good answer of all is told as an end: it may have failed before a start", () => {
	const { alerts, told, watch } = watchOne();
	watch.answered(500);
	expect(alerts).toEqual([]);
	for (const status of [200, 404, 200]) watch.answered(status);
	expect([alerts, told]).toEqual([["kling answers"], []]);
});

test("a machine without a socket raises no alert about the upstream", () => {
	const { alerts, watch } = watchOne();
	for (let again = 0; again < 5; again++) watch.failed(Object.assign(new TypeError("no"), { code: "EMFILE" }));
	expect(alerts).toEqual([]);
});
