/** Tasks and errors as Suno's clients read them. Times in seconds. */
import { asText, type Denial, type RenderDenial, renderOwnDenial, type WireRecord } from "#core";
import type { Task } from "../tasks/service.ts";
import { clipsOf } from "./kind.ts";

/** The task's own status stays in capitals; only clips are `complete`. */
const words = { NOT_START: "SUBMITTED", IN_PROGRESS: "IN_PROGRESS", SUCCESS: "SUCCESS", FAILURE: "FAILURE" } as const;

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** The variants as a bare list, as clients of the feed read them. */
export const clipViews = (task: Task): readonly WireRecord[] =>
	clipsOf(task).map((clip) => ({
		id: clip.id,
		title: clip.title,
		status: "complete",
		audio_url: clip.audioUrl,
		image_url: clip.imageUrl,
		image_large_url: clip.imageUrl,
		video_url: clip.videoUrl,
		model_name: task.model,
		major_model_version: task.model,
		duration: clip.duration,
		tags: clip.tags,
		prompt: clip.words,
		lyric: clip.words,
		created_at: new Date(task.submittedAt).toISOString(),
		metadata: {
			tags: clip.tags,
			prompt: clip.words,
			duration: clip.duration,
			gpt_description_prompt: task.details.described === true ? task.prompt : null,
			error_type: null,
			error_message: null,
		},
	}));

/** The words of a finished task of words. */
export const lyricsView = (task: Task): WireRecord => ({
	id: task.id,
	text: asText(task.result?.extra?.text) ?? "",
	title: task.result?.title ?? "",
	status: task.status === "SUCCESS" ? "complete" : task.status === "FAILURE" ? "error" : "submitted",
});

const dataOf = (task: Task): unknown => {
	if (task.action === "LYRICS") return task.status === "SUCCESS" ? lyricsView(task) : {};
	return clipViews(task);
};

export const sunoView = (task: Task): WireRecord => ({
	task_id: task.id,
	notify_hook: task.callbackUrl,
	action: task.action,
	status: words[task.status],
	fail_reason: task.failure?.reason ?? "",
	submit_time: seconds(task.submittedAt),
	start_time: seconds(task.startedAt),
	finish_time: seconds(task.finishedAt),
	progress: `${task.progress}%`,
	data: dataOf(task),
});

export const envelope = (data: unknown): Response => Response.json({ code: "success", message: "", data });

const statuses: Readonly<Partial<Record<Denial["kind"], readonly [number, string]>>> = {
	authentication: [401, "unauthorized"],
	permission: [403, "forbidden"],
	quota_exhausted: [403, "quota_not_enough"],
	quota_held: [429, "quota_held"],
	rate_limited: [429, "rate_limited"],
	not_found: [404, "task_not_exist"],
	model_not_found: [404, "model_not_found"],
	conflict: [409, "conflict"],
	too_large: [413, "invalid_request"],
	unsupported_media_type: [415, "invalid_request"],
	internal: [500, "internal_error"],
	upstream: [502, "upstream_error"],
	overloaded: [503, "overloaded"],
	upstream_timeout: [504, "upstream_timeout"],
};

/** Codes that Suno's clients know by themselves; Portico's own are told in theirs. */
const known = new Set(["prompt_empty", "invalid_action"]);

export const renderSunoDenial: RenderDenial = (denial) => {
	const { status: usual, headers } = renderOwnDenial(denial);
	const [status, code] = statuses[denial.kind] ?? [usual, "invalid_request"];
	const own = denial.code !== undefined && known.has(denial.code) ? denial.code : code;
	return { status, headers, body: { code: own, message: denial.message, data: null } };
};
