import { expect, test } from "bun:test";
import { Cron } from "croner";
import { deny, Fault } from "../contract/fault.ts";
import type { Job } from "../contract/job.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { createLog } from "../runtime/log.ts";
import { type JobRuns, startJobs } from "./start-jobs.ts";

const log = createLog("silent");
const unheard = { jobFailed(): void {}, jobWorked(): void {}, knowsAge: () => true };

test("where one schedule is none, no job has begun", async () => {
	const ran: string[] = [];
	const job = (name: string, schedule: string): Job => ({ name, schedule, run: () => void ran.push(name) });
	expect(() => startJobs([job("good", "* * * * * *"), job("bad", "every day")], new Map(), log, unheard)).toThrow();
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

const second = "* * * * * *";

/** A job that notes its runs, each of which lasts until it is released. */
const held = () => {
	const began = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	const signals: AbortSignal[] = [];
	const job: Job = {
		name: "held",
		schedule: second,
		run(signal) {
			signals.push(signal);
			began.resolve();
			return release.promise;
		},
	};
	return { job, signals, began: began.promise, release: release.resolve };
};

test("a job of every second begins at once, another when its time has come", async () => {
	const { job, signals, release } = held();
	const yearly: Job = { name: "yearly", schedule: "0 0 0 1 1 *", run: () => void signals.push(AbortSignal.abort()) };
	const started = startJobs([yearly, job], new Map(), log, unheard);
	expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
	release();
	await started.stop();
	expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("a run is told to end, and waited for", async () => {
	const ended: string[] = [];
	const began = Promise.withResolvers<void>();
	const run = (signal: AbortSignal) =>
		new Promise<void>((_, reject) => {
			signal.addEventListener("abort", () => {
				ended.push("told");
				setImmediate(() => reject(new Error("aborted")));
			});
			began.resolve();
		}).finally(() => ended.push("ended"));
	const said: unknown[] = [];
	const noting = createLog("debug", (line) => said.push(JSON.parse(line)));
	const started = startJobs([{ name: "good", schedule: second, run }], new Map(), noting, unheard);
	await began.promise;
	await Promise.all([started.stop(), started.stop()]);
	expect([ended, said]).toEqual([["told", "ended"], []]);
});

test("a job that goes on failing says so once for each reason, and once when it works again; every run is noted", async () => {
	const reasons = ["away", "away", "full", undefined, "full"];
	const noted: string[] = [];
	const done = Promise.withResolvers<void>();
	const said: unknown[] = [];
	const noting = createLog("debug", (line) => said.push(JSON.parse(line)));
	let runs = 0;
	const run = (): void => {
		const reason = reasons[runs++];
		if (runs === reasons.length) done.resolve();
		if (reason !== undefined) throw new Error(reason);
	};
	const started = startJobs([{ name: "flaky", schedule: second, run }], new Map(), noting, {
		...unheard,
		jobFailed: (job, error) => void noted.push(`${job} ${error}`),
		jobWorked: (job) => void noted.push(`${job} worked`),
	});
	await done.promise;
	await new Promise((resolve) => setImmediate(resolve));
	await started.stop();
	const at = expect.stringContaining("start-jobs.test.ts:");
	const failed = (error: string) =>
		expect.objectContaining({ level: "error", job: "flaky", error: `Error: ${error}`, at });
	const again = expect.objectContaining({ msg: "a job works again", job: "flaky" });
	expect(said).toEqual([failed("away"), failed("full"), again, failed("full")]);
	expect(noted).toEqual(reasons.map((reason) => (reason === undefined ? "flaky worked" : `flaky Error: ${reason}`)));
}, 20_000);

const away = new StoreFault("SQLITE_IOERR", "disk I/O error");

test.each([
	["itself", away],
	["that something else failed for", new Fault(deny("overloaded", "It cannot be told."), away)],
])("of a database that is away, %s, only the log is told", async (_, thrown) => {
	const said: unknown[] = [];
	const noted: string[] = [];
	const done = Promise.withResolvers<void>();
	const noting = createLog("debug", (line) => said.push(JSON.parse(line)));
	const run = (): void => {
		setImmediate(done.resolve);
		throw thrown;
	};
	const started = startJobs([{ name: "counts", schedule: second, run }], new Map(), noting, {
		...unheard,
		jobFailed: (job) => void noted.push(job),
	});
	await done.promise;
	await started.stop();
	expect([said, noted]).toEqual([[expect.objectContaining({ level: "error", job: "counts" })], []]);
});

test("after the machine's clock was set, what removes by age waits, and all else goes on", async () => {
	const said: unknown[] = [];
	const ran: string[] = [];
	const done = Promise.withResolvers<void>();
	const noting = createLog("debug", (line) => said.push(JSON.parse(line)));
	const looks: boolean[] = [false, true];
	const jobs: readonly Job[] = [
		{
			name: "prune",
			schedule: second,
			removes: "old",
			run: () => {
				ran.push("prune");
				done.resolve();
			},
		},
		{ name: "deliver", schedule: second, run: () => void ran.push("deliver") },
	];
	const started = startJobs(jobs, new Map(), noting, { ...unheard, knowsAge: () => looks.shift() ?? true });
	expect(ran).toEqual(["deliver"]);
	await done.promise;
	await started.stop();
	const message = "a job that removes what is old waits, for the machine's clock was set";
	expect(said).toEqual([expect.objectContaining({ level: "warn", job: "prune", msg: message })]);
});

test("a run that does not end is waited for no longer than that", async () => {
	const { job, began } = held();
	const said: unknown[] = [];
	const noting = createLog("debug", (line) => said.push(JSON.parse(line)));
	const runs: JobRuns = new Map();
	const started = startJobs([job], runs, noting, unheard, 1);
	await began;
	await started.stop();
	expect(said).toEqual([
		expect.objectContaining({ level: "warn", msg: "a job goes on although it was told to end", job: "held" }),
	]);
	expect(runs.size).toBe(0);
});

test("a job does not begin beside its run of before a reload, and others of its name do", async () => {
	const runs: JobRuns = new Map();
	const old = held();
	const before = startJobs([old.job], runs, log, unheard);
	await old.began;
	const stopping = before.stop();
	const next = held();
	const other = held();
	const after = startJobs([next.job, other.job], runs, log, unheard);
	await other.began;
	expect([old.signals.length, next.signals.length]).toEqual([1, 0]);
	old.release();
	await stopping;
	await next.began;
	expect([old.signals[0]?.aborted, next.signals[0]?.aborted]).toEqual([true, false]);
	next.release();
	other.release();
	await after.stop();
});
