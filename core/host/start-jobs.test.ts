import { expect, test } from "bun:test";
import { Cron } from "croner";
import type { Job } from "../contract/job.ts";
import { createLog } from "../runtime/log.ts";
import { startJobs } from "./start-jobs.ts";

const log = createLog("silent");

test("where one schedule is none, no job has begun", async () => {
	const ran: string[] = [];
	const job = (name: string, schedule: string): Job => ({ name, schedule, run: () => void ran.push(name) });
	expect(() => startJobs([job("good", "* * * * * *"), job("bad", "every day")], log)).toThrow();
	// Two seconds begin meanwhile: in each the good one would run.
	const over = Promise.withResolvers<void>();
	let seconds = 0;
	const watch = new Cron("* * * * * *", () => {
		seconds++;
		if (seconds === 2) over.resolve();
	});
	await over.promise;
	watch.stop();
	expect(ran).toEqual([]);
});
