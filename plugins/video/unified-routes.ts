/** `/v1/video/generations` and `/v1/video/create`, as clients of new-api and its relatives call them. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Identified,
	invalidParameter,
	type Route,
	type WireRecord,
} from "#core";
import { fieldsBeside, pictureOf, type Task, type Tasks } from "../tasks/service.ts";
import { coverUrl, promptOf, secondsOf, videoOrder, videoTask, videoUrl } from "./kind.ts";

const words = { NOT_START: "queued", IN_PROGRESS: "processing", SUCCESS: "succeeded", FAILURE: "failed" } as const;

const ownFields = new Set(["metadata"]);

/** Both forms at once: some clients read the fields at the top, some look for them in `data`. */
const view = (task: Task): WireRecord => {
	const error = task.failure ? { code: task.failure.code, message: task.failure.reason } : null;
	const [url, status] = [videoUrl(task), words[task.status]];
	const data = {
		task_id: task.id,
		status,
		url,
		format: "mp4",
		metadata: null,
		error,
		progress: `${task.progress}%`,
		fail_reason: task.failure?.reason ?? "",
		submit_time: Math.floor(task.submittedAt / 1000),
		start_time: Math.floor(task.startedAt / 1000),
		finish_time: Math.floor(task.finishedAt / 1000),
	};
	const top = { id: task.id, task_id: task.id, status, url, video_url: url, thumbnail_url: coverUrl(task), error };
	return { code: "success", message: "", data, ...top, status_update_time: Math.floor(task.updatedAt / 1000) };
};

/** `1280x720`, of two numbers; undefined when one is missing. Throws `Fault`. */
const sizeOf = ({ width, height }: WireRecord): string | undefined => {
	if (!width || !height) return undefined;
	for (const side of [width, height])
		if (!/^\d{1,5}$/.test(asText(side) ?? String(asNumber(side) ?? "")))
			throw invalidParameter("width", "Send width and height as numbers of pixels.");
	return `${width}x${height}`;
};

export const unifiedRoutes = (tasks: Tasks, defaultModel: string): readonly Route[] => {
	const submit = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		const image = await pictureOf(body.image ?? asList(body.images)[0], "image");
		const metadata = asRecord(body.metadata);
		const order = videoOrder({
			action: image === undefined ? "TEXT_TO_VIDEO" : "IMAGE_TO_VIDEO",
			model: asText(body.model) ?? defaultModel,
			prompt: promptOf(body.prompt, image === undefined),
			seconds: secondsOf(body.seconds ?? body.duration ?? metadata.seconds ?? metadata.duration, "seconds"),
			size: asText(body.size) ?? sizeOf(body),
			aspectRatio: asText(body.aspect_ratio),
			input: { ...fieldsBeside(body, ownFields), ...metadata, ...(image !== undefined && { image }) },
		});
		return Response.json(view(await tasks.submit(call, { ...order, callbackUrl: tasks.callbackUrlOf(body) })));
	};

	const shown = async (call: Identified, id: string): Promise<Response> => {
		return Response.json(view(await videoTask(tasks, call, id)));
	};

	const show = (call: Identified): Promise<Response> => shown(call, call.params.id ?? "");
	const query = (call: Identified): Promise<Response> => {
		const id = call.url.searchParams.get("id") ?? call.url.searchParams.get("task_id");
		if (id === null) throw invalidParameter("id", "Send the video's id as `?id=`.");
		return shown(call, id);
	};

	const token = { access: "token" } as const;
	return [
		{
			...token,
			method: "POST",
			path: "/v1/video/generations",
			summary: "Submits a video task as new-api's clients do.",
			handle: submit,
		},
		{
			...token,
			method: "GET",
			path: "/v1/video/generations/:id",
			summary: "Shows a video as new-api's clients read it.",
			handle: show,
		},
		{ ...token, method: "POST", path: "/v1/video/create", summary: "Submits a video task.", handle: submit },
		{ ...token, method: "GET", path: "/v1/video/query", summary: "Shows a video named in the query.", handle: query },
	];
};
