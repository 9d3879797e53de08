/** What a task costs that was given up: its upstream is asked to stop, and what cannot be taken back is charged. */
import type { Answered, Asking } from "./asking.ts";
import type { Endings } from "./endings.ts";
import type { Claim, TaskLeases } from "./leases.ts";
import type { WorkRow } from "./row.ts";
import type { TaskFailure, TaskUpstream } from "./service.ts";
import type { Troubles } from "./troubles.ts";

interface SettlementOptions {
	readonly leases: TaskLeases;
	readonly asking: Asking;
	readonly endings: Endings;
	readonly troubles: Troubles;
	now(): number;
}

/** Waits before an upstream is asked again to stop a job, after each request that it did not answer. */
const delaysMs = [1000, 2000];

export class Settlement {
	private readonly options: SettlementOptions;

	constructor(options: SettlementOptions) {
		this.options = options;
	}

	/** Fails a task whose work may go on, and settles what it costs. */
	async giveUp(row: WorkRow, claim: Claim<TaskUpstream | undefined>, failure: TaskFailure): Promise<void> {
		const ended = await this.options.endings.giveUp(row, failure);
		if (ended.task.status === "FAILURE") await this.settle(ended, claim);
	}

	/** What was submitted is charged unless its upstream says that it bills nothing for it. */
	async settle(row: WorkRow, { lease, upstream, signal }: Claim<TaskUpstream | undefined>): Promise<Answered> {
		const { asking, endings, leases, troubles } = this.options;
		if (row.upstreamId === undefined && row.submissions === 0) {
			await endings.charge(row, {});
			return undefined;
		}
		const word = upstream ? await asking.stop(row, upstream, signal) : "told";
		const wait = word === "unanswered" ? delaysMs[row.tries] : undefined;
		if (wait !== undefined) await leases.askAgain(row, lease, this.options.now() + wait);
		else await endings.charge(row, word === "unbilled" || troubles.lostHere(row) ? {} : row.task.bound);
		return word !== "unanswered";
	}
}
