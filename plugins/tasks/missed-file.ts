/** Tells the operator of a result file that was asked for and is not in this node's folder. */
import type { Log } from "#core";
import type { TaskStore } from "./task-store.ts";

interface Place {
	readonly taskStore: TaskStore;
	readonly folder: string;
	readonly log: Log;
}

/** A task that was deleted took its files along; of one that is there they are on another node, or lost. */
export const missedFile =
	({ taskStore, folder, log }: Place) =>
	(task: string): void => {
		const advice = "where there are several nodes, give them a filesFolder that all share";
		taskStore.work(task).then(
			(found) => found && log.warn("a result file is not in this node's folder", { task, folder, advice }),
			() => undefined,
		);
	};
