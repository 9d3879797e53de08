/** One look at one task: submits it when that has not been done, else takes in what its upstream says of it. */
import type { Answered, Asking } from "./asking.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Endings } from "./endings.ts";
import { failures, tooLate } from "./failures.ts";
import type { Claim, Look, TaskLeases } from "./leases.ts";
import { namedIds } from "./named-ids.ts";
import { Overdue } from "./overdue.ts";
import { PollSchedule } from "./poll-schedule.ts";
import type { RetryWrite } from "./retry-write.ts";
import { jobOf, type WorkRow } from "./row.ts";
import type { JobState, Submission, TaskFailure, TaskJob } from "./service.ts";
import type { Settlement } from "./settlement.ts";
import type { TaskStore } from "./task-store.ts";
import { advance } from "./transitions.ts";
import type { Troubles } from "./troubles.ts";

interface WorkOptions {
	readonly taskStore: Pick<TaskStore, "inputOf">;
	readonly leases: TaskLeases;
	readonly endings: Endings;
	readonly asking: Asking;
	readonly settlement: Settlement;
	readonly troubles: Troubles;
	readonly catalogue: Catalogue;
	now(): number;
	/** From 0 to 1, for jitter. */
	random(): number;
	readonly retryWrite: RetryWrite;
}

/** So many in a row end a task: words of its upstream that its adapter does not know, and answers that there is no such job. */
const strangeLimit = 20;
const missingLimit = 3;

export class Work {
	readonly overdue: Overdue;
	private readonly options: WorkOptions;
	private readonly pace: PollSchedule;

	constructor(options: WorkOptions) {
		this.options = options;
		this.overdue = new Overdue({ ...options, take: (...said) => this.take(...said) });
		this.pace = new PollSchedule(options.now, options.random);
	}

	async submit(row: WorkRow, claim: Claim): Promise<Answered> {
		const { upstream, signal } = claim;
		const job = jobOf(row, upstream, await this.options.retryWrite(() => this.options.taskStore.inputOf(row.task.id)));
		if (row.submissions > 1) return await this.reconcile(row, claim, job, { failure: failures.interrupted });
		const submission = await this.options.asking.submit(row, upstream, job, signal);
		if (!submission) {
			await this.options.settlement.giveUp(row, claim, tooLate(row));
			return false;
		}
		switch (submission.outcome) {
			case "accepted":
				await this.accepted(row, claim, submission);
				return true;
			case "done":
				await this.done(row, claim, submission);
				return true;
			case "refused":
				await this.options.endings.fail(row, submission.failure);
				return true;
			case "busy":
				await this.sendRound(row, claim, job, submission);
				return false;
			case "unknown":
				return await this.reconcile(row, claim, job, {
					failure: signal.aborted ? failures.interrupted : failures.unknown,
					saidFailed: submission.saidFailed,
				});
		}
	}

	/** A job whose name came back too late to be kept belongs to a task that is settled: nobody waits for it any more. */
	private async accepted(
		row: WorkRow,
		claim: Claim,
		submission: Extract<Submission, { outcome: "accepted" }>,
	): Promise<void> {
		const { lease, upstream, signal } = claim;
		const { upstreamId, memo = {}, job } = submission;
		const look = this.look(row, this.pace.poll(upstream, 0));
		const kept = await this.options.retryWrite(() => this.options.leases.submitted(row, lease, upstreamId, memo, look));
		if (!kept) await this.options.asking.stop({ ...row, upstreamId, memo }, upstream, signal);
		else if (job) await this.take(kept, claim, job);
	}

	private async done(
		row: WorkRow,
		{ lease, signal }: Claim,
		submission: Extract<Submission, { outcome: "done" }>,
	): Promise<void> {
		const { upstreamId, made } = submission;
		const { endings, troubles } = this.options;
		// Later tasks that go on from this one need its upstream's name for it.
		if (upstreamId !== undefined)
			await this.options.retryWrite(() => this.options.leases.named(row, lease, upstreamId));
		try {
			await endings.succeed(row, made, signal);
		} catch (error) {
			troubles.unkept(row, error);
			if (troubles.lostHere(row)) await endings.fail(row, failures.unkept);
			else await endings.failCharged(row, failures.unkept);
		}
	}

	/** Finds out whether a submission arrived; when that cannot be known the task has failed, for it must never be sent twice. */
	private async reconcile(
		row: WorkRow,
		{ lease, upstream, signal }: Claim,
		job: TaskJob,
		{ failure, saidFailed = false }: { readonly failure: TaskFailure; readonly saidFailed?: boolean | undefined },
	): Promise<Answered> {
		const upstreamId = await this.options.asking.find(row, upstream, job, signal);
		if (upstreamId === undefined && this.options.troubles.lostHere(row))
			await this.options.endings.fail(row, failures.unkept);
		else if (upstreamId === undefined && saidFailed) await this.options.endings.fail(row, failure);
		else if (upstreamId === undefined) await this.options.endings.failCharged(row, failure);
		else await this.options.leases.submitted(row, lease, upstreamId, {}, this.look(row, this.pace.poll(upstream, 0)));
		return upstreamId !== undefined;
	}

	/** To the next upstream that does this model, or to the same again, a while later: always the same where its account holds what the job names. */
	private async sendRound(
		row: WorkRow,
		{ lease, upstream }: Claim,
		{ input }: TaskJob,
		{ retryAfterMs = 0, unreached }: Extract<Submission, { outcome: "busy" }>,
	): Promise<void> {
		const others = this.options.catalogue.candidates(row.task.kind, row.task.model, row.task.action);
		const next =
			row.parent || namedIds(input).length > 0
				? upstream
				: (others[(others.indexOf(upstream) + 1) % others.length] ?? upstream);
		const wait = this.pace.busy(row.tries, next === upstream ? retryAfterMs : 0);
		if (wait === undefined) {
			await this.options.endings.fail(row, unreached ? failures.unreached : failures.busy);
			return;
		}
		await this.options.leases.tryAgain(row, lease, next.name, this.options.now() + wait);
	}

	/** Asks after submitted jobs. What could not be taken in (a file that did not come) is asked for again later. */
	async poll(rows: readonly WorkRow[], claim: Claim): Promise<Answered> {
		const unanswered: JobState = { state: "unanswered" };
		const { asking, troubles } = this.options;
		const states = await asking.poll(rows, claim.upstream, claim.signal);
		const taken = await Promise.allSettled(
			rows.map(async (row, index) => {
				const said = states[index] ?? unanswered;
				return await this.take(row, claim, said).catch((error: unknown) => {
					troubles.untaken(row, said, error);
					return this.take(row, claim, unanswered);
				});
			}),
		);
		return taken.every((one) => {
			if (one.status === "rejected") throw one.reason;
			return one.value !== false;
		});
	}

	/** Takes in what an upstream says of a job. */
	async take(row: WorkRow, claim: Claim, job: JobState): Promise<Answered> {
		const { lease, upstream, signal } = claim;
		const { leases } = this.options;
		const polls = row.polls + 1;
		const wait = this.pace.poll(upstream, polls);
		switch (job.state) {
			case "done":
				await this.options.endings.succeed(row, job.made, signal);
				return true;
			case "failed":
				await this.options.endings.fail(row, job.failure);
				return true;
			case "running":
				if (row.task.status === "NOT_START") await this.options.endings.begin(row, job.percent);
				await leases.looked(row, lease, {
					...this.look(row, wait),
					polls,
					progress: advance(row.task, job.percent),
				});
				return true;
			case "waiting":
				await leases.looked(row, lease, { ...this.look(row, wait), polls });
				return true;
			case "strange":
				if (row.strange + 1 >= strangeLimit) await this.options.settlement.giveUp(row, claim, failures.strange);
				else await leases.looked(row, lease, { ...this.look(row, wait), polls, strange: row.strange + 1 });
				return true;
			case "missing":
				if (row.missing + 1 >= missingLimit) await this.options.endings.failCharged(row, failures.missing);
				else await leases.looked(row, lease, { ...this.look(row, wait), polls, missing: row.missing + 1 });
				return true;
			case "unanswered": {
				const pause = this.pace.unanswered(upstream, polls, job.retryAfterMs);
				await leases.looked(row, lease, { ...this.look(row, pause), strange: row.strange, missing: row.missing });
				return false;
			}
		}
	}

	/** What a look leaves behind that learnt nothing: counts of what went wrong in a row start anew. */
	private look(row: WorkRow, wait: number): Look {
		return { dueAt: this.options.now() + wait, progress: row.task.progress, polls: row.polls, strange: 0, missing: 0 };
	}
}
