/** What went wrong with tasks inside Portico: told in the log once a task, however often it is met, and remembered. */
import { describe, type Log } from "#core";
import { publicReason } from "./connection.ts";
import { Unfetched } from "./files.ts";
import type { WorkRow } from "./row.ts";
import type { JobState } from "./service.ts";

/** Beyond it all are forgotten, and may be told again. */
const most = 10_000;

export class Troubles {
	private readonly log: Log;
	private readonly told = new Set<string>();
	private readonly lost = new Set<string>();

	constructor(log: Log) {
		this.log = log;
	}

	/** An error that a look at a task met, unless the log tells of the same for this task already. */
	note({ task, upstream }: WorkRow, message: string, error: unknown): void {
		const trouble = `${task.id} ${message}`;
		if (this.told.has(trouble)) return;
		remember(this.told, trouble);
		this.log.error(message, { task: task.id, upstream, error: publicReason(describe(error)) });
	}

	/** A result that was made could not be taken in. */
	unkept(row: WorkRow, error: unknown): void {
		if (error instanceof Unfetched) {
			this.note(row, "a result could not be fetched", error.cause);
			return;
		}
		this.note(row, "a result could not be kept", error);
		remember(this.lost, row.task.id);
	}

	/** What an upstream said of a task could not be taken in. */
	untaken(row: WorkRow, { state }: JobState, error: unknown): void {
		if (state === "done") this.unkept(row, error);
		else this.note(row, "what an upstream said of a task could not be taken in", error);
	}

	/** Whether the result of a task was lost by a fault that is not its upstream's: nobody pays for that. */
	lostHere({ task }: WorkRow): boolean {
		return this.lost.has(task.id);
	}
}

const remember = (all: Set<string>, one: string): void => {
	if (all.size >= most) all.clear();
	all.add(one);
};
