/** Names of videos as Google's clients cut them out of addresses: lower-case letters and digits only. */

const prefix = "task_";

/** The name of one file of a task. */
export const fileName = (taskId: string, index: number): string =>
	`${taskId.slice(prefix.length)}${index === 0 ? "" : `x${index}`}`;

/** The task and file of a name; undefined for anything else. */
export const ownFile = (name: string): { readonly taskId: string; readonly index: number } | undefined => {
	const match = /^([0-9a-f]{32})(?:x(\d{1,3}))?$/.exec(name);
	return match ? { taskId: prefix + match[1], index: Number(match[2] ?? 0) } : undefined;
};
