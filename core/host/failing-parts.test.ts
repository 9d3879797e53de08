import { expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import { whatFailed } from "../errors/describe.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { createLog } from "../runtime/log.ts";
import { FailingParts } from "./failing-parts.ts";

const minute = 60_000;

const world = () => {
	const clock = createTestClock();
	const failing = new FailingParts(clock);
	const lines: string[] = [];
	const log = failing.heardIn(createLog("info", (line) => void lines.push(line), clock));
	return { clock, failing, log, lines };
};

test("what fails is told by its name, with how often, since when and its last words", async () => {
	const { clock, failing, log, lines } = world();
	log.error("a policy failed; the call is refused", { policy: "night-watch", error: "Error: one" });
	await clock.advance(minute);
	log.error("a policy failed; the call is refused", { policy: "night-watch", error: "Error: sk-0123456789abcdefgh" });
	log.error("a recorder failed", { recorder: "diary", error: "Error: full" });
	log.error("something failed that nobody waited for", { error: "Error: boom", at: "boom (/plugins/careless.ts:3:5)" });
	expect(failing.list().map(({ what, since, message }) => [what, since, message])).toEqual([
		[
			"plugin",
			clock.now() - minute,
			'The policy "night-watch" failed 2 times, the last time at 2027-01-01T00:01:00.000Z: Error: [removed]',
		],
		["plugin", clock.now(), 'The recorder "diary" failed once at 2027-01-01T00:01:00.000Z: Error: full'],
		[
			"plugin",
			clock.now(),
			"Something at boom (/plugins/careless.ts:3:5) failed once at 2027-01-01T00:01:00.000Z: Error: boom",
		],
	]);
	expect(lines).toHaveLength(4);
});

test("ten minutes after its last failure, and after a reload, a part is spoken of no more", async () => {
	const { clock, failing, log } = world();
	log.error("a guard failed", { guard: "words", error: "Error: one" });
	await clock.advance(9 * minute);
	log.error("a guard failed", { guard: "words", error: "Error: two" });
	await clock.advance(9 * minute);
	expect(failing.list()).toHaveLength(1);
	await clock.advance(minute);
	expect(failing.list()).toEqual([]);
	log.error("a guard failed", { guard: "words", error: "Error: three" });
	failing.forget();
	expect(failing.list()).toEqual([]);
});

test("runs of a job are counted as they fail, and not as the log tells of them", () => {
	const { failing, log } = world();
	const at = "run (/plugins/careless.ts:3:5)";
	log.error("a job failed, and is tried again at its next time", { job: "prune", error: "Error: no", at });
	failing.jobFailed("prune", "Error: no");
	failing.jobFailed("prune", "Error: no");
	expect(failing.list()).toMatchObject([{ message: expect.stringMatching(/^The job "prune" failed 2 times/) }]);
});

test("a job is spoken of until it has worked again, however seldom it runs, and for ten minutes at least", async () => {
	const { clock, failing } = world();
	const night = 24 * 60 * minute;
	failing.jobFailed("backup", "Error: no folder");
	const began = clock.now();
	await clock.advance(night);
	failing.jobFailed("backup", "Error: no folder");
	await clock.advance(8 * 60 * minute);
	expect(failing.list()).toMatchObject([
		{
			since: began,
			message: 'The job "backup" failed 2 times, the last time at 2027-01-02T00:00:00.000Z: Error: no folder',
		},
	]);
	expect(failing.list()[0]?.advice).toEndWith(
		"Ten minutes after the last failure, once the job has worked again, this is gone.",
	);
	failing.jobWorked("backup");
	expect(failing.list()).toEqual([]);

	failing.jobFailed("backup", "Error: full");
	failing.jobWorked("backup");
	await clock.advance(9 * minute);
	expect(failing.list()).toMatchObject([{ since: clock.now() - 9 * minute }]);
	await clock.advance(minute);
	expect(failing.list()).toEqual([]);
});

test("what a plugin says itself, what names no part, and what an outage of the database does, is not counted", () => {
	const { failing, log } = world();
	const away = new Error("It cannot be told.", { cause: new StoreFault("SQLITE_FULL", "disk full") });
	log.error("a recorder failed", { recorder: "diary", ...whatFailed(away) });
	log.error("something failed that nobody waited for", whatFailed(away));
	log.of("stranger").error("it did not answer", { route: "/x", error: "Error: no" });
	log.error("the reload failed", { error: "Error: no" });
	log.warn("a policy is slow", { policy: "night-watch", error: "Error: no" });
	expect(failing.list()).toEqual([]);
});
