/** Calls the programs of task upstreams. None is waited for beyond its task's time, and what goes wrong in one is told in the log. */
import { jobOf, type WorkRow } from "./row.ts";
import type { Cancellation, JobState, Show, Submission, TaskJob, TaskUpstream } from "./service.ts";
import { soundName, soundState, soundSubmission } from "./sound-answers.ts";
import { OutOfTime, type WithinTime } from "./time-limit.ts";
import type { Troubles } from "./troubles.ts";

interface AskingOptions {
	readonly withinTime: WithinTime;
	readonly troubles: Troubles;
	readonly show: Show;
	now(): number;
}

/** Whether an upstream answered: fewer tasks at once for one that did not. */
export type Answered = boolean | undefined;

/** What a request has that is made when its task's time is nearly over. */
const leastMs = 10_000;

/** How long it may take to answer a request to stop a job. */
const stopMs = 5000;

export class Asking {
	private readonly options: AskingOptions;

	constructor(options: AskingOptions) {
		this.options = options;
	}

	/** Undefined when it did not end in the task's time, so that nobody knows what came of it. */
	async submit(
		row: WorkRow,
		upstream: TaskUpstream,
		job: TaskJob,
		signal: AbortSignal,
	): Promise<Submission | undefined> {
		const { show, troubles } = this.options;
		try {
			return await this.inTime([row], signal, async (limited) =>
				soundSubmission(await upstream.submit(job, limited, show), (error) =>
					troubles.note(row, "a submission was answered oddly", error),
				),
			);
		} catch (error) {
			troubles.note(row, "a task could not be submitted", error);
			return error instanceof OutOfTime ? undefined : { outcome: "unknown" };
		}
	}

	/** The upstream's name for a job of which only ours is known; undefined when that cannot be told. */
	async find(row: WorkRow, upstream: TaskUpstream, job: TaskJob, signal: AbortSignal): Promise<string | undefined> {
		return await this.inTime([row], signal, async (limited) => soundName(await upstream.find?.(job, limited))).catch(
			(error: unknown) => {
				this.options.troubles.note(row, "a submission could not be looked up", error);
				return undefined;
			},
		);
	}

	/** A state for each task, in their order, as far as the upstream gave any. */
	async poll(rows: readonly WorkRow[], upstream: TaskUpstream, signal: AbortSignal): Promise<readonly JobState[]> {
		const { show, troubles } = this.options;
		const jobs = rows.map((row) => jobOf(row, upstream));
		const asking = this.inTime(rows, signal, async (limited) => {
			if (!upstream.poll) throw new TypeError("it accepted a task, and has no poll by which to ask after it");
			const states: unknown = await upstream.poll(jobs, limited, show);
			if (!Array.isArray(states)) throw new TypeError("its poll answered no list of states");
			return rows.map((row, index) =>
				soundState(states[index], (error) => troubles.note(row, "a question after a task was answered oddly", error)),
			);
		});
		return await asking.catch((error: unknown) => {
			for (const row of rows) troubles.note(row, "an upstream could not be asked after a task", error);
			return [];
		});
	}

	/** Asks it to stop a job that nobody waits for any more. */
	async stop(row: WorkRow, upstream: TaskUpstream, signal: AbortSignal): Promise<Cancellation> {
		return await this.options
			.withinTime(stopMs, signal, (limited) => stop(row, upstream, limited))
			.catch((error: unknown) => {
				this.options.troubles.note(row, "a job could not be cancelled", error);
				return "unanswered";
			});
	}

	private async inTime<T>(
		rows: readonly WorkRow[],
		signal: AbortSignal,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		const left = Math.min(...rows.map(({ deadlineAt }) => deadlineAt)) - this.options.now();
		return await this.options.withinTime(Math.max(leastMs, left), signal, work);
	}
}

const stop = async (row: WorkRow, upstream: TaskUpstream, signal: AbortSignal): Promise<Cancellation> => {
	if (!upstream.cancel) return "told";
	const job = jobOf(row, upstream);
	const upstreamId = row.upstreamId ?? soundName(await upstream.find?.(job, signal));
	return upstreamId === undefined ? "told" : await upstream.cancel({ ...job, upstreamId }, signal);
};
