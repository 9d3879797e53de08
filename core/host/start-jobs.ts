/** Recurring work of a generation: each job by its schedule, never twice at once. */
import { Cron } from "croner";
import type { Job } from "../contract/job.ts";
import type { Log } from "../contract/log.ts";
import { describe, whatFailed } from "../errors/describe.ts";
import { isOfStoreOutage } from "../errors/store-fault.ts";
import { inTime } from "./in-time.ts";

/** What runs now, of whatever generation: a run that a reload ended may last a little longer. */
export type JobRuns = Map<string, Promise<void>>;

/** The jobs of a generation. */
export interface StartedJobs {
	pause(): void;
	resume(): void;
	/** No run begins any more, and those that go on are told to end. Resolves when they have, or were waited for long enough. */
	stop(): Promise<void>;
}

/** How long a run that was told to end is waited for. */
const patienceMs = 10_000;

/** Such a job is work that goes on by itself too: it begins at once, so that it knows from then on by what it is told to end. */
const everySecond = "* * * * * *";

/** Nobody keeps two jobs from having one name. */
const keyOf = ({ name }: Job, index: number, jobs: readonly Job[]): string =>
	`${name} ${jobs.slice(0, index).filter((one) => one.name === name).length}`;

/** Told of every run: of one that failed unless the database is away, which tells of that itself. */
export interface HearsOfJobs {
	jobFailed(job: string, error: string): void;
	jobWorked(job: string): void;
	/** False for a while after the machine's clock was set. */
	knowsAge(): boolean;
}

/** A failure is logged, once for as long as its reason is the same, and the job goes on; whoever started them stops them. */
export const startJobs = (
	jobs: readonly Job[],
	runs: JobRuns,
	log: Log,
	heard: HearsOfJobs,
	limitMs = patienceMs,
): StartedJobs => {
	const abort = new AbortController();
	const own = new Map<Promise<void>, { readonly job: Job; readonly key: string }>();
	let stopped: Promise<void> | undefined;

	/** Why a job failed the last time: one that runs every second says so once, and not for as long as it lasts. */
	const failing = new Map<string, string>();

	const run = async (job: Job, key: string): Promise<void> => {
		try {
			await job.run(abort.signal);
			heard.jobWorked(job.name);
			if (failing.delete(key)) log.info("a job works again", { job: job.name });
		} catch (thrown) {
			const error = describe(thrown);
			// What was told to end may say so by failing.
			if (abort.signal.aborted) return;
			if (!isOfStoreOutage(thrown)) heard.jobFailed(job.name, error);
			if (failing.get(key) === error) return;
			failing.set(key, error);
			log.error("a job failed, and is tried again at its next time", { job: job.name, ...whatFailed(thrown) });
		}
	};
	const forget = (running: Promise<void>, key: string): void => {
		own.delete(running);
		if (runs.get(key) === running) runs.delete(key);
	};
	const begin = (job: Job, key: string): void => {
		if (runs.has(key)) return;
		if (job.removes === "old" && !heard.knowsAge()) {
			log.warn("a job that removes what is old waits, for the machine's clock was set", { job: job.name });
			return;
		}
		const running = run(job, key);
		runs.set(key, running);
		own.set(running, { job, key });
		void running.then(() => forget(running, key));
	};
	const giveUp = (): void => {
		for (const [running, { job, key }] of own) {
			log.warn("a job goes on although it was told to end", { job: job.name });
			forget(running, key);
		}
	};

	const scheduled = jobs.map((job, index) => ({
		job,
		key: keyOf(job, index, jobs),
		cron: new Cron(job.schedule, { unref: true }),
	}));
	// Only now: a schedule that is none throws before any job has begun.
	const started = scheduled.map(({ job, key, cron }) => cron.schedule(() => begin(job, key)));
	for (const { job, key } of scheduled) if (job.schedule === everySecond) begin(job, key);
	const end = async (): Promise<void> => {
		for (const cron of started) cron.stop();
		abort.abort();
		await inTime(Promise.all(own.keys()), "a job", limitMs).catch(giveUp);
	};
	return {
		pause() {
			for (const cron of started) cron.pause();
		},
		resume() {
			for (const cron of started) cron.resume();
		},
		stop() {
			stopped ??= end();
			return stopped;
		},
	};
};
