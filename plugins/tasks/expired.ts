/** Removes tasks whose time is over, with their files. */
import type { Files } from "./files.ts";
import type { TaskStore } from "./task-store.ts";

/** Tasks removed in one go. */
const pruneSize = 500;

export const removeExpired = async (taskStore: TaskStore, files: Files, now: () => number): Promise<void> => {
	for (;;) {
		const ids = await taskStore.expired(now(), pruneSize);
		for (const id of ids) await files.remove(id);
		await taskStore.removeAll(ids);
		if (ids.length < pruneSize) return;
	}
};
