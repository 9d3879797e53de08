/** A task as the uniform routes show it. Times in seconds since 1970. */
import type { Task } from "./task.ts";

const seconds = (milliseconds: number): number | null => (milliseconds === 0 ? null : Math.floor(milliseconds / 1000));

/** The address of the first file of a role; `""` where there is none (yet). */
export const fileUrl = ({ result }: Pick<Task, "result">, role: string): string =>
	result?.files.find((file) => file.role === role)?.url ?? "";

export const taskView = (task: Task): Readonly<Record<string, unknown>> => ({
	id: task.id,
	object: "task",
	kind: task.kind,
	action: task.action,
	model: task.model,
	status: task.status,
	progress: task.progress,
	prompt: task.prompt,
	state: task.state ?? null,
	output: task.result
		? {
				files: task.result.files.map(({ role, url, mediaType }) => ({ role, url, media_type: mediaType })),
				title: task.result.title ?? null,
				duration: task.result.duration ?? null,
			}
		: null,
	error: task.failure ? { code: task.failure.code, message: task.failure.reason } : null,
	notifyHook: task.callbackUrl,
	created_at: seconds(task.submittedAt),
	started_at: seconds(task.startedAt),
	finished_at: seconds(task.finishedAt),
	expires_at: seconds(task.expiresAt),
});
