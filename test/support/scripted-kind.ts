/** A task kind and an upstream that do what a test tells them: for tests of the tasks plugin alone. */
import { add, asText, definePlugin, t } from "#core";
import {
	type Cancellation,
	type JobState,
	type Made,
	type Submission,
	type Task,
	type TaskJob,
	taskKinds,
	taskUpstreams,
} from "../../plugins/tasks/service.ts";

/** What the upstream does; tests replace the members. Shared by all gateways of one process. */
export interface ScriptedWork {
	submit(job: TaskJob, signal: AbortSignal): Promise<Submission>;
	poll(job: TaskJob): Promise<JobState>;
	find: ((job: TaskJob) => Promise<string | undefined>) | undefined;
	cancel(job: TaskJob): Cancellation | Promise<Cancellation>;
	/** Jobs in the order in which they came in. */
	readonly submitted: TaskJob[];
	readonly polled: string[];
	readonly cancelled: string[];
}

export const made: Made = {
	files: [{ role: "picture", mediaType: "image/png", url: "https://files.example/picture.png" }],
};

const fresh = (): Omit<ScriptedWork, "submitted" | "polled" | "cancelled"> => ({
	submit: async (job) => ({ outcome: "accepted", upstreamId: `up-${job.id}` }),
	poll: async () => ({ state: "waiting" }),
	find: undefined,
	cancel: () => "told",
});

export const scripted: ScriptedWork = { ...fresh(), submitted: [], polled: [], cancelled: [] };

/** Forgets what other tests have told it. */
export const resetScript = (): void => {
	Object.assign(scripted, fresh());
	for (const list of [scripted.submitted, scripted.polled, scripted.cancelled]) list.length = 0;
};

const callback = (task: Task): string =>
	JSON.stringify({
		id: task.id,
		status: task.status,
		prompt: task.prompt,
		progress: `${task.progress}%`,
		url: task.result?.files[0]?.url ?? "",
		failReason: task.failure?.reason ?? "",
		submitTime: task.submittedAt,
		startTime: task.startedAt,
		finishTime: task.finishedAt,
	});

export default definePlugin({
	name: "scripted-kind",
	summary: "Does what a test tells it.",
	config: t.Object(
		{ concurrency: t.Optional(t.Integer()), together: t.Optional(t.Integer()) },
		{ additionalProperties: false },
	),
	gives: [taskKinds, taskUpstreams],
	setup: ({ config }) => {
		const upstream = (name: string, models: readonly string[]) =>
			add(taskUpstreams, {
				name,
				kind: "scripted",
				models,
				concurrency: config.concurrency ?? 50,
				pollDelaysMs: [1000, 2000],
				pollsTogether: config.together ?? 1,
				submit: async (job, signal) => {
					scripted.submitted.push(job);
					return await scripted.submit(job, signal);
				},
				poll: async (jobs) =>
					await Promise.all(
						jobs.map((job) => {
							scripted.polled.push(job.id);
							return scripted.poll(job);
						}),
					),
				find: async (job) => await scripted.find?.(job),
				cancel: async (job) => {
					scripted.cancelled.push(job.upstreamId ?? "");
					return await scripted.cancel(job);
				},
			});
		return {
			offers: [
				add(taskKinds, {
					name: "scripted",
					words: { NOT_START: "NOT_START", IN_PROGRESS: "IN_PROGRESS", SUCCESS: "SUCCESS", FAILURE: "FAILURE" },
					defaultModel: "script",
					timeoutMinutes: 10,
					read: (body) => ({
						kind: "scripted",
						action: "DO",
						model: asText(body.model) ?? "script",
						prompt: asText(body.prompt) ?? "",
						details: {},
						input: { extra: body.extra ?? null },
						bound: { images: 1 },
						...(typeof body.follows === "string" && { follows: body.follows }),
					}),
					callback,
					units: () => ({ images: 1 }),
				}),
				upstream("first", ["script", "both"]),
				upstream("second", ["both"]),
			],
		};
	},
});
