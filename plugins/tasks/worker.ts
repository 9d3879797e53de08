/** Looks at every task when it is due: claims what each upstream has room for, and does for each what is next. */
import { type ClaimedWork, type Clock, describe, type Log, WorkQueue } from "#core";
import type { Answered } from "./asking.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Claim, type DueTask, leaseMs, type Reach, type TaskLeases } from "./leases.ts";
import type { WorkRow } from "./row.ts";
import type { TaskUpstream } from "./service.ts";
import type { Settlement } from "./settlement.ts";
import type { Work } from "./step.ts";
import type { UpstreamConcurrency } from "./upstream-concurrency.ts";

interface WorkerOptions {
	readonly leases: TaskLeases;
	readonly work: Work;
	readonly settlement: Settlement;
	/** Makes due what a wrong clock has put off. */
	readonly takeUpPutOff: () => Promise<void>;
	readonly concurrency: UpstreamConcurrency;
	readonly catalogue: Catalogue;
	readonly clock: Clock;
	/** Milliseconds since 1970, by the clock all nodes share. */
	now(): number;
	readonly log: Log;
	/** Aborted when the process is about to end, so that nothing can be waited for any longer. */
	readonly mustEnd: AbortSignal;
}

/** Tasks claimed in one write. */
const claimSize = 200;

/** Tasks of one upstream that one request is about. */
interface Request {
	readonly upstream: string;
	/** Whose place it takes; of several tasks the first one's. */
	readonly caller: string;
	/** Whether it takes one of the upstream's places. */
	readonly entered: boolean;
	readonly ids: readonly string[];
}

export class Worker {
	private readonly options: WorkerOptions;
	private readonly queue: WorkQueue;

	constructor(options: WorkerOptions) {
		this.options = options;
		const { leases, clock, now, log, takeUpPutOff } = options;
		this.queue = new WorkQueue({
			clock,
			leaseMs,
			now,
			claim: (lease, held) => this.claim(lease, held),
			nextDue: (now) => leases.nextDue(now),
			recover: takeUpPutOff,
			renew: (held) => leases.renew(held, now()),
			failed: (error) => log.error("tasks could not be claimed or held", { error: describe(error) }),
		});
	}

	/** Looks for due tasks now. */
	wake(): void {
		this.queue.wake();
	}

	/** Called every second. Once a reload has aborted `others`, what is due is that of the worker that came with it. */
	async tick(others: AbortSignal): Promise<void> {
		await this.queue.tick(others);
	}

	/** Claims nothing more; settles when what is under way has ended, or must end. */
	async stop(): Promise<void> {
		await this.queue.stop(this.options.mustEnd);
	}

	private async claim(lease: string, held: Iterable<string>): Promise<readonly ClaimedWork[] | undefined> {
		const { leases, now, concurrency, catalogue } = this.options;
		const reach: Reach = {
			kinds: catalogue.kinds.map(({ name }) => name),
			upstreams: catalogue.upstreams.map(({ name }) => name),
			full: concurrency.full(),
			served: concurrency.served(),
		};
		const errands = this.errands(await this.due(held, reach));
		if (errands.length === 0) return undefined;
		let claimed: ReadonlyMap<string, WorkRow> = new Map();
		try {
			const ids = errands.flatMap((errand) => errand.ids);
			claimed = new Map((await leases.claim(ids, lease, now())).map((row) => [row.task.id, row]));
		} finally {
			for (const { upstream, caller, entered, ids } of errands)
				if (entered && !ids.some((id) => claimed.has(id))) concurrency.leave(upstream, caller, undefined);
		}
		return errands.flatMap((errand) => {
			const rows = errand.ids.flatMap((id) => claimed.get(id) ?? []);
			return rows.length === 0
				? []
				: [{ ids: rows.map(({ task }) => task.id), ended: this.begin(errand, rows, lease) }];
		});
	}

	/** Of callers that have their share under way only where no other has anything to do. */
	private async due(held: Iterable<string>, reach: Reach): Promise<readonly DueTask[]> {
		const { leases, now } = this.options;
		const ids = [...held];
		const others = await leases.due(now(), ids, reach, claimSize);
		if (others.length > 0 || reach.served.length === 0) return others;
		return await leases.due(now(), ids, { ...reach, served: [] }, claimSize);
	}

	/** What can be done now: one request for each submission, one for as many polls as its upstream takes together. */
	private errands(due: readonly DueTask[]): readonly Request[] {
		const { concurrency, catalogue } = this.options;
		const groups = Map.groupBy(due, ({ upstream, errand }) => `${errand} ${upstream}`);
		return [...groups.values()].flatMap((group) => {
			const name = group[0]?.upstream ?? "";
			const upstream = catalogue.upstream(name);
			const size = group[0]?.errand === "poll" ? (upstream?.pollsTogether ?? 1) : 1;
			const ids = group.map(({ id }) => id);
			const asks = group[0]?.errand !== "release" && upstream !== undefined;
			const errands: Request[] = [];
			for (let at = 0; at < ids.length; at += size) {
				const caller = group[at]?.caller ?? "";
				if (asks && !concurrency.enter(name, caller)) break;
				errands.push({ upstream: name, caller, entered: asks, ids: ids.slice(at, at + size) });
			}
			return errands;
		});
	}

	private async begin({ upstream, caller, entered }: Request, rows: readonly WorkRow[], lease: string): Promise<void> {
		const { concurrency, catalogue, log, mustEnd } = this.options;
		let answered: Answered = false;
		try {
			answered = await this.carryOut(rows, { lease, upstream: catalogue.upstream(upstream), signal: mustEnd });
		} catch (error) {
			log.error("a task could not be looked at", { upstream, error: describe(error) });
		}
		if (entered) concurrency.leave(upstream, caller, answered);
	}

	/** None of the tasks waits for another: an upstream may take its time to stop one of them. */
	private async carryOut(rows: readonly WorkRow[], claim: Claim<TaskUpstream | undefined>): Promise<Answered> {
		const { work, settlement, log } = this.options;
		const { upstream } = claim;
		const open = upstream ? rows.filter((row) => work.overdue.goesOn(row)) : [];
		const ended = rows
			.filter((row) => !open.includes(row))
			.map(async (row): Promise<Answered> => {
				try {
					if (row.task.status === "FAILURE") return await settlement.settle(row, claim);
					return await work.overdue.passOver(row, claim);
				} catch (error) {
					log.error("a task could not be looked at", { upstream: row.upstream, error: describe(error) });
					return false;
				}
			});
		try {
			const [first] = open;
			if (!first || !upstream) return (await Promise.all(ended)).at(-1);
			if (first.upstreamId === undefined) return await work.submit(first, { ...claim, upstream });
			return await work.poll(open, { ...claim, upstream });
		} finally {
			await Promise.all(ended);
		}
	}
}
