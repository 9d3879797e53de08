/**
 * A kind whose words and counts can be relied upon. A stranger's may throw, or answer what no type allows: the task ends all
 * the same, its client is called back and what was held is charged, and the log says which kind it was.
 */
import { describe, isRecord, type Log } from "#core";
import type { Task, TaskUnits } from "./task.ts";
import type { TaskKind } from "./task-maker.ts";
import { taskView } from "./views.ts";

const names = ["images", "inputImages", "partialImages", "seconds", "songs"] satisfies (keyof TaskUnits)[];
const units: ReadonlySet<string> = new Set(names);

/** More of anything than a task makes; what it costs is still a number that can be held. */
const mostUnits = 1_000_000;

/** Whether it can be held, and charged, for: names that have a price, and amounts. */
export const isSoundBound = (bound: unknown): bound is TaskUnits =>
	isRecord(bound) &&
	!("then" in bound) &&
	Object.entries(bound).every(
		([name, amount]) =>
			units.has(name) && (amount === undefined || (typeof amount === "number" && amount >= 0 && amount <= mostUnits)),
	);

const unitsIn = (made: unknown): TaskUnits => {
	if (isSoundBound(made)) return made;
	throw new TypeError(`its units answered no { ${names.join(", ")} } of amounts`);
};

const textIn = (told: unknown): string => {
	if (typeof told === "string") return told;
	throw new TypeError("its callback answered no text");
};

export const soundKind = (kind: TaskKind, log: Log): TaskKind => {
	const { name, words, defaultModel, timeoutMinutes } = kind;
	const failed = (message: string, task: Task, error: unknown): void =>
		log.error(message, { kind: name, task: task.id, error: describe(error) });
	return {
		name,
		words,
		defaultModel,
		timeoutMinutes,
		read: (body) => kind.read(body),
		// Both get a task of their own: what they change of it changes no other.
		callback(task) {
			try {
				return textIn(kind.callback({ ...task }));
			} catch (error) {
				failed("a kind could not word a callback; it tells what the uniform routes show", task, error);
				return JSON.stringify(taskView(task));
			}
		},
		units(task) {
			try {
				return unitsIn(kind.units({ ...task }));
			} catch (error) {
				failed("a kind could not tell what a task made; what was held is charged", task, error);
				return task.bound;
			}
		},
	};
};
