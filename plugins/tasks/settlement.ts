/** What a task costs that was given up: its upstream is asked to stop, and what cannot be taken back is charged. */
import type { Endings } from "./endings.ts";
import { jobOf, type WorkRow } from "./row.ts";
import type { Cancellation, TaskFailure, TaskUpstream } from "./service.ts";
import type { Answered } from "./step.ts";
import type { TaskStore } from "./task-store.ts";
import type { Troubles } from "./troubles.ts";

export interface SettlementOptions {
	readonly taskStore: TaskStore;
	readonly endings: Endings;
	readonly troubles: Troubles;
	now(): number;
}

/** Waits before an upstream is asked again to stop a job, after each request that it did not answer. */
const delaysMs = [1000, 2000];

/** How long it may take to answer one. */
const limitMs = 5000;

export class Settlement {
	private readonly options: SettlementOptions;

	constructor(options: SettlementOptions) {
		this.options = options;
	}

	/** Fails a task whose work may go on, and settles what it costs. */
	async giveUp(
		row: WorkRow,
		lease: string,
		upstream: TaskUpstream | undefined,
		failure: TaskFailure,
		signal: AbortSignal,
	): Promise<void> {
		await this.settle(await this.options.endings.giveUp(row, failure), lease, upstream, signal);
	}

	/** What was submitted is charged unless its upstream says that it bills nothing for it. */
	async settle(
		row: WorkRow,
		lease: string,
		upstream: TaskUpstream | undefined,
		signal: AbortSignal,
	): Promise<Answered> {
		const { endings, taskStore, troubles } = this.options;
		if (row.upstreamId === undefined && row.submissions === 0) {
			await endings.charge(row, {});
			return undefined;
		}
		const word = upstream
			? await stop(upstream, row, signal).catch((error: unknown): Cancellation => {
					troubles.note(row, "a job could not be cancelled", error);
					return "unanswered";
				})
			: "told";
		const wait = word === "unanswered" ? delaysMs[row.tries] : undefined;
		if (wait !== undefined) await taskStore.askAgain(row, lease, this.options.now() + wait);
		else await endings.charge(row, word === "unbilled" || troubles.lostHere(row) ? {} : row.task.bound);
		return word !== "unanswered";
	}
}

const stop = async (upstream: TaskUpstream, row: WorkRow, signal: AbortSignal): Promise<Cancellation> => {
	if (!upstream.cancel) return "told";
	const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
	const job = jobOf(row, upstream);
	const upstreamId = row.upstreamId ?? (await upstream.find?.(job, limited));
	return upstreamId === undefined ? "told" : await upstream.cancel({ ...job, upstreamId }, limited);
};
