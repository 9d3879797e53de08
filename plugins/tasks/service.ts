/**
 * What kinds of tasks are written against. A kind adds its routes and its words; an upstream does its work; `tasks`
 * keeps the table, the states, the worker, the result files and the callbacks.
 */
export { adviceOnTask } from "./advice.ts";
export { fieldsBeside } from "./fields-beside.ts";
export type { Cancellation, JobState, Made, MadeFile, Show, Submission, TaskFailure, TaskJob } from "./job.ts";
export {
	findKlingTask,
	klingAnswer,
	klingFields,
	klingPage,
	klingTask,
	klingWords,
	renderKlingDenial,
} from "./kling.ts";
export { leadingNumber } from "./leading-number.ts";
export { noSuchTask } from "./no-such-task.ts";
export { longestPrompt, readPrompt } from "./order-checks.ts";
export { type PictureData, pictureData, pictureOf } from "./pictures.ts";
export type * from "./task.ts";
export { type TaskKind, type TaskUpstream, taskKinds, taskUpstreams } from "./task-maker.ts";
export { type Tasks, tasks } from "./tasks.ts";
export { bySetting, upstreamSettings } from "./upstream-settings.ts";
export { fileUrl } from "./views.ts";
export type { Answer, AskOptions, Connection, ConnectionOptions } from "./wire.ts";
