/** The ends of a task, with what each costs: the change of state, the files of a result and the settlement go together. */
import { definedOnly, mapJsonTexts, restorer, restoreWords, type Statement, type Store, StoreFault } from "#core";
import type { TaskBudget } from "./budget.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Files } from "./files.ts";
import type { RetryWrite } from "./retry-write.ts";
import type { WorkRow } from "./row.ts";
import type { Made, MadeFile, Task, TaskFailure, TaskKind, TaskUnits } from "./service.ts";
import type { TaskStore } from "./task-store.ts";
import { advance, begin, type Change, fail, giveUp, settled, succeed } from "./transitions.ts";

interface EndingsOptions {
	readonly store: Store;
	readonly taskStore: Pick<TaskStore, "work">;
	readonly files: Files;
	readonly accounts: TaskBudget;
	readonly catalogue: Catalogue;
	readonly retryWrite: RetryWrite;
	now(): number;
	/** Called after a change of state has been written. */
	changed(task: Task): void;
}

const noResult: TaskFailure = { code: "upstream_no_result", reason: "The upstream returned no result." };

/** Some upstreams that made nothing give a file of no bytes. */
const isThere = (file: MadeFile): boolean => !("bytes" in file) || file.bytes.length !== 0;

/** Nobody pays for more than was held. */
const atMost = (made: TaskUnits, bound: TaskUnits): TaskUnits => {
	const least = (unit: keyof TaskUnits): number | undefined => {
		const amount = made[unit];
		return amount === undefined ? undefined : Math.min(amount, bound[unit] ?? 0);
	};
	return definedOnly({
		images: least("images"),
		inputImages: least("inputImages"),
		partialImages: least("partialImages"),
		seconds: least("seconds"),
		songs: least("songs"),
	});
};

type Restoring = Pick<WorkRow, "restore">;

const restoredFailure = (failure: TaskFailure, { restore }: Restoring): TaskFailure =>
	restore.size === 0 ? failure : { ...failure, reason: restoreWords(failure.reason, restore) };

/** Its words as their client knows them, where guards put others into the request. */
const restoredMade = (made: Made, { restore }: Restoring): Made => {
	if (restore.size === 0) return made;
	const { files, ...words } = made;
	return { files, ...(mapJsonTexts(words, restorer(restore)) as Omit<Made, "files">) };
};

export class Endings {
	private readonly options: EndingsOptions;

	constructor(options: EndingsOptions) {
		this.options = options;
	}

	/** To IN_PROGRESS. */
	async begin(row: WorkRow, percent: number | undefined): Promise<void> {
		const task = { ...row.task, progress: advance(row.task, percent) };
		const change = begin(this.kindOf(task), task, this.options.now());
		await this.options.retryWrite(() => this.options.store.write(change.statements));
		this.options.changed(change.task);
	}

	/**
	 * To FAILURE, and what was held is given back: nothing was made that the upstream bills, or Portico itself lost what was
	 * made.
	 */
	async fail(row: WorkRow, failure: TaskFailure): Promise<void> {
		await this.failFor(row, failure, {});
	}

	/** To FAILURE, where the upstream may have done the work: it is charged as if it had. */
	async failCharged(row: WorkRow, failure: TaskFailure): Promise<void> {
		await this.failFor(row, failure, row.task.bound);
	}

	/** To FAILURE, while what it costs is still to be found out; `charge` is called when that is known. The task may have ended before. */
	async giveUp(row: WorkRow, failure: TaskFailure): Promise<WorkRow> {
		const kind = this.options.catalogue.kind(row.task.kind);
		const change = giveUp(kind, row.task, restoredFailure(failure, row), this.options.now());
		return { ...row, task: await this.end(change), tries: 0 };
	}

	/** Charges a task that was given up for what was made. */
	async charge(row: WorkRow, made: TaskUnits): Promise<void> {
		const statements = [...this.options.accounts.settle(row, row.task, made), settled(row.task.id)];
		await this.options.retryWrite(() => this.options.store.write(statements));
	}

	/** To SUCCESS: what was made is charged. Rejects when a file cannot be kept; then nothing has changed. */
	async succeed(row: WorkRow, given: Made, signal: AbortSignal): Promise<void> {
		const made = restoredMade({ ...given, files: given.files.filter(isThere) }, row);
		if (made.files.length === 0 && made.extra === undefined) return await this.failCharged(row, noResult);
		const { task } = row;
		const result = await this.options.files.keep(task.id, row.baseUrl, task.expiresAt, made, signal);
		const kind = this.kindOf(task);
		const settle = (done: Task): readonly Statement[] =>
			this.options.accounts.settle(row, done, atMost(kind.units(done), done.bound));
		const change = succeed(kind, task, result, this.options.now(), settle);
		await this.endCharged(row, change, atMost(kind.units(change.task), task.bound));
	}

	private async failFor(row: WorkRow, failure: TaskFailure, made: TaskUnits): Promise<void> {
		const settle = (task: Task): readonly Statement[] => this.options.accounts.settle(row, task, made);
		const kind = this.options.catalogue.kind(row.task.kind);
		const change = fail(kind, row.task, restoredFailure(failure, row), this.options.now(), settle);
		await this.endCharged(row, change, made);
	}

	/** Who gave the task up meanwhile did not know what had been made. */
	private async endCharged(row: WorkRow, change: Change, made: TaskUnits): Promise<void> {
		const task = await this.end(change);
		if (task !== change.task) await this.charge({ ...row, task }, made);
	}

	private kindOf(task: Task): TaskKind {
		const kind = this.options.catalogue.kind(task.kind);
		if (!kind) throw new TypeError("no plugin gives this task's kind");
		return kind;
	}

	/** The task as it is then: as the change makes it, or as another end that was sooner left it. */
	private async end({ statements, task }: Change): Promise<Task> {
		const { store, taskStore, retryWrite, changed } = this.options;
		const refusal = await retryWrite(() => store.write(statements).then(() => undefined, refusalOf));
		if (!refusal) {
			changed(task);
			return task;
		}
		const found = await retryWrite(() => taskStore.work(task.id));
		if (!found || found.task.status === "NOT_START" || found.task.status === "IN_PROGRESS") throw refusal;
		return found.task;
	}
}

/** A rule of a table refused the write: it is not tried again. */
const refusalOf = (error: unknown): StoreFault => {
	if (error instanceof StoreFault && error.isConstraint) return error;
	throw error;
};
