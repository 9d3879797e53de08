/** The ends of a task, with what each costs: the change of state, the files of a result and the settlement go together. */
import { definedOnly, mapJsonTexts, restoreWords, type Statement, type Store } from "#core";
import type { TaskBudget } from "./budget.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Files } from "./files.ts";
import type { RetryWrite } from "./retry-write.ts";
import type { WorkRow } from "./row.ts";
import type { Made, Task, TaskFailure, TaskKind, TaskUnits } from "./service.ts";
import { advance, begin, type Change, fail, giveUp, settled, succeed } from "./transitions.ts";

export interface EndingsOptions {
	readonly store: Store;
	readonly files: Files;
	readonly accounts: TaskBudget;
	readonly catalogue: () => Catalogue;
	readonly retryWrite: RetryWrite;
	now(): number;
	/** Called after a change of state has been written. */
	changed(task: Task): void;
}

const noResult: TaskFailure = { code: "upstream_no_result", reason: "The upstream returned no result." };

/** Nobody pays for more than was held. */
const atMost = (made: TaskUnits, bound: TaskUnits): TaskUnits =>
	definedOnly({
		images: made.images === undefined ? undefined : Math.min(made.images, bound.images ?? 0),
		seconds: made.seconds === undefined ? undefined : Math.min(made.seconds, bound.seconds ?? 0),
		songs: made.songs === undefined ? undefined : Math.min(made.songs, bound.songs ?? 0),
	});

type Restoring = Pick<WorkRow, "restore">;

const restoredFailure = (failure: TaskFailure, { restore }: Restoring): TaskFailure =>
	restore.size === 0 ? failure : { ...failure, reason: restoreWords(failure.reason, restore) };

/** Its words as their client knows them, where guards put others into the request. */
const restoredMade = (made: Made, { restore }: Restoring): Made => {
	if (restore.size === 0) return made;
	const { files, ...words } = made;
	return { files, ...(mapJsonTexts(words, (text) => restoreWords(text, restore)) as Omit<Made, "files">) };
};

export class Endings {
	private readonly options: EndingsOptions;

	constructor(options: EndingsOptions) {
		this.options = options;
	}

	/** To IN_PROGRESS. */
	async begin(row: WorkRow, percent: number | undefined): Promise<void> {
		const task = { ...row.task, progress: advance(row.task, percent) };
		await this.write(begin(this.kindOf(task), task, this.options.now()));
	}

	/**
	 * To FAILURE, where it is certain that nothing was made that anybody bills, or where what was made was lost by a fault that is
	 * not the upstream's: what was held is given back.
	 */
	async fail(row: WorkRow, failure: TaskFailure): Promise<void> {
		await this.failFor(row, failure, {});
	}

	/** To FAILURE, where the upstream may have done the work: it is charged as if it had. */
	async failCharged(row: WorkRow, failure: TaskFailure): Promise<void> {
		await this.failFor(row, failure, row.task.bound);
	}

	/** To FAILURE, while what it costs is still to be found out; `charge` is called when that is known. */
	async giveUp(row: WorkRow, failure: TaskFailure): Promise<WorkRow> {
		const change = giveUp(this.kindOf(row.task), row.task, restoredFailure(failure, row), this.options.now());
		await this.write(change);
		return { ...row, task: change.task, tries: 0 };
	}

	/** Charges a task that was given up for what was made. */
	async charge(row: WorkRow, made: TaskUnits): Promise<void> {
		const statements = [...this.options.accounts.settle(row, row.task, made), settled(row.task.id)];
		await this.options.retryWrite(() => this.options.store.write(statements));
	}

	/** To SUCCESS: what was made is charged. Rejects when a file cannot be kept; then nothing has changed. */
	async succeed(row: WorkRow, given: Made, signal: AbortSignal): Promise<void> {
		const made = restoredMade(given, row);
		if (made.files.length === 0 && made.extra === undefined) return await this.failCharged(row, noResult);
		const { task } = row;
		const result = await this.options.files.keep(task.id, row.baseUrl, task.expiresAt, made, signal);
		const kind = this.kindOf(task);
		const settle = (done: Task): readonly Statement[] =>
			this.options.accounts.settle(row, done, atMost(kind.units(done), done.bound));
		await this.write(succeed(kind, task, result, this.options.now(), settle));
	}

	private async failFor(row: WorkRow, failure: TaskFailure, made: TaskUnits): Promise<void> {
		const settle = (task: Task): readonly Statement[] => this.options.accounts.settle(row, task, made);
		await this.write(fail(this.kindOf(row.task), row.task, restoredFailure(failure, row), this.options.now(), settle));
	}

	private kindOf(task: Task): TaskKind {
		const kind = this.options.catalogue().kind(task.kind);
		if (!kind) throw new TypeError("no plugin gives this task's kind");
		return kind;
	}

	private async write(change: Change): Promise<void> {
		await this.options.retryWrite(() => this.options.store.write(change.statements));
		this.options.changed(change.task);
	}
}
