/** Tasks that nothing more is done for: their time is over, or their upstream or kind is not there (any more). */
import type { Asking } from "./asking.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Endings } from "./endings.ts";
import { failures, neverTaken, tooLate } from "./failures.ts";
import type { Claim, TaskLeases } from "./leases.ts";
import type { WorkRow } from "./row.ts";
import type { JobState, TaskUpstream } from "./service.ts";
import type { Settlement } from "./settlement.ts";
import type { Troubles } from "./troubles.ts";

interface OverdueOptions {
	readonly leases: TaskLeases;
	readonly endings: Endings;
	readonly asking: Asking;
	readonly settlement: Settlement;
	readonly troubles: Troubles;
	readonly catalogue: Catalogue;
	now(): number;
	/** Takes in what an upstream says of a job. */
	take(row: WorkRow, claim: Claim, job: JobState): Promise<unknown>;
}

/** How often a task is looked at whose upstream or kind is not configured (any more), until its time is over. */
const unservedMs = 30_000;

export class Overdue {
	private readonly options: OverdueOptions;

	constructor(options: OverdueOptions) {
		this.options = options;
	}

	/** Whether a task is open, in time, and of a kind that is there: then it is not passed over. */
	goesOn({ task, deadlineAt }: WorkRow): boolean {
		const isOpen = task.status !== "FAILURE" && this.options.now() < deadlineAt;
		return isOpen && this.options.catalogue.kind(task.kind) !== undefined;
	}

	/** Fails a task past its deadline; one whose upstream or kind is gone is looked at again later. */
	async passOver(row: WorkRow, claim: Claim<TaskUpstream | undefined>): Promise<undefined> {
		const { leases, endings, settlement, troubles } = this.options;
		const [now, kind] = [this.options.now(), this.options.catalogue.kind(row.task.kind)];
		const begun = row.upstreamId !== undefined || row.submissions > 1;
		const late = now >= row.deadlineAt;
		const dueAt = now + unservedMs;
		// Only a kind can call back: it may be there again tomorrow.
		if (!late || !(kind || now >= row.task.expiresAt))
			await leases.putBack(row, claim.lease, late ? dueAt : Math.min(dueAt, row.deadlineAt));
		else if (troubles.lostHere(row)) await endings.fail(row, failures.unkept);
		else if (!begun) await endings.fail(row, neverTaken(row));
		else if (!(kind && (await this.hasEnded(row, claim)))) await settlement.giveUp(row, claim, tooLate(row));
		return undefined;
	}

	/** A job may have ended since its upstream was last asked, as while no node was there to ask: what it made is paid for, and not thrown away. */
	private async hasEnded(row: WorkRow, { upstream, ...claim }: Claim<TaskUpstream | undefined>): Promise<boolean> {
		if (!upstream || row.upstreamId === undefined) return false;
		const { asking, troubles, take } = this.options;
		const [said] = await asking.poll([row], upstream, claim.signal);
		if (said?.state !== "done" && said?.state !== "failed") return false;
		try {
			await take(row, { ...claim, upstream }, said);
			return true;
		} catch (error) {
			troubles.untaken(row, said, error);
			return false;
		}
	}
}
