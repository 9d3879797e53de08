/** `/v1/videos` as OpenAI's clients call it: JSON or a form, a list, the file itself. */
import {
	asNumber,
	asRecord,
	asText,
	Fault,
	type Identified,
	invalidParameter,
	openAiRoots,
	type Route,
	t,
	type WireRecord,
} from "#core";
import { fieldsBeside, pictureOf, type Task, type TaskOrder, type Tasks } from "../tasks/service.ts";
import { coverUrl, durationOf, promptOf, secondsOf, type VideoWish, videoOrder, videoTask, videoUrl } from "./kind.ts";

const words = { NOT_START: "queued", IN_PROGRESS: "in_progress", SUCCESS: "completed", FAILURE: "failed" } as const;

/** Fields that are read here; the others go to the upstream as they are. */
const ownFields = new Set(["input_reference"]);

const seconds = (milliseconds: number): number | null => (milliseconds === 0 ? null : Math.floor(milliseconds / 1000));

/** OpenAI's own where none is asked for. SDKs of typed languages know a few sizes and read no video that has another, or none. */
const usualSize = "720x1280";

/** What the upstream says that it made, else what was asked for. */
const sizeOf = ({ result, details }: Task): string => asText(result?.told?.size) || asText(details.size) || usualSize;

/** The published fields, and those that clients of other gateways read besides. */
const openAiVideo = (task: Task): WireRecord => ({
	id: task.id,
	object: "video",
	model: task.model,
	status: words[task.status],
	progress: task.progress,
	created_at: seconds(task.submittedAt),
	completed_at: task.status === "SUCCESS" ? seconds(task.finishedAt) : null,
	expires_at: seconds(task.expiresAt),
	prompt: task.prompt,
	seconds: String(asNumber(task.details.seconds) ?? durationOf(task)),
	size: sizeOf(task),
	remixed_from_video_id: asText(task.details.follows) ?? null,
	error: task.failure ? { code: task.failure.code, message: task.failure.reason } : null,
	task_id: task.id,
	...(task.result && { video_url: videoUrl(task), thumbnail_url: coverUrl(task), metadata: { url: videoUrl(task) } }),
});

const orderOf = async (
	body: WireRecord,
	model: string,
	action: VideoWish["action"],
	follows?: string,
): Promise<TaskOrder> => {
	const image = await pictureOf(body.input_reference ?? body.image, "input_reference");
	return videoOrder({
		action: image !== undefined && action === "TEXT_TO_VIDEO" ? "IMAGE_TO_VIDEO" : action,
		model,
		prompt: promptOf(body.prompt, true),
		seconds: secondsOf(body.seconds ?? body.duration, "seconds"),
		size: asText(body.size),
		aspectRatio: asText(body.aspect_ratio),
		follows,
		input: { ...fieldsBeside(body, ownFields), ...(image !== undefined && { image }) },
	});
};

const pageSize = 100;

export const openAiRoutes = (tasks: Tasks, defaultModel: string): readonly Route[] => {
	const known = (call: Identified, id = call.params.id ?? ""): Promise<Task> => videoTask(tasks, call, id);

	const take = async (call: Identified, body: WireRecord, order: TaskOrder): Promise<Response> =>
		Response.json(openAiVideo(await tasks.submit(call, { ...order, callbackUrl: tasks.callbackUrlOf(body) })));

	const create = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		return await take(call, body, await orderOf(body, asText(body.model) ?? defaultModel, "TEXT_TO_VIDEO"));
	};

	/** A new video that goes on from one of this token's: remixed, extended or edited. */
	const goOn = async (
		call: Identified,
		body: WireRecord,
		id: string,
		action: VideoWish["action"],
	): Promise<Response> => {
		const parent = await known(call, id);
		const length = asNumber(parent.details.seconds) ?? (Math.round(durationOf(parent)) || undefined);
		// A remix is as long as what it is made of, whatever is asked.
		const seconds = action === "REMIX" ? length : (body.seconds ?? body.duration ?? length);
		const wish = { size: parent.details.size, ...body, seconds, duration: undefined };
		const order = await orderOf(wish, parent.model, action, parent.id);
		return await take(call, body, order);
	};

	const remix = async (call: Identified): Promise<Response> =>
		await goOn(call, await tasks.read(call), call.params.id ?? "", "REMIX");

	/** `/edits` and `/extensions` name the video in the body: `{"video": {"id": …}}`. */
	const fromBody =
		(action: VideoWish["action"]) =>
		async (call: Identified): Promise<Response> => {
			const body = await tasks.read(call);
			const id = asText(asRecord(body.video).id) ?? asText(body.video_id) ?? asText(body.video);
			if (id === undefined)
				throw invalidParameter("video", 'Send the video to go on from as {"video": {"id": "task_…"}}.');
			return await goOn(call, body, id, action);
		};

	const list = async (call: Identified): Promise<Response> => {
		const query = call.url.searchParams;
		const limit = Math.trunc(Number(query.get("limit") ?? 20));
		const after = query.get("after");
		if (!(limit >= 1 && limit <= pageSize)) throw invalidParameter("limit", `The limit must be from 1 to ${pageSize}.`);
		const { data, more } = await tasks.list(call, {
			kind: "video",
			limit,
			order: query.get("order") === "asc" ? "asc" : "desc",
			...(after && { after }),
		});
		const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
		return Response.json({ object: "list", data: data.map(openAiVideo), ...ends, has_more: more });
	};

	const show = async (call: Identified): Promise<Response> => Response.json(openAiVideo(await known(call)));

	const remove = async (call: Identified): Promise<Response> => {
		const { id } = await tasks.remove(call, (await known(call)).id);
		return Response.json({ id, object: "video.deleted", deleted: true });
	};

	const content = async (call: Identified): Promise<Response> => {
		const variant = call.url.searchParams.get("variant") ?? "video";
		if (variant !== "video" && variant !== "thumbnail")
			throw new Fault({
				kind: "unsupported",
				parameter: "variant",
				message: "There are the variants `video` and `thumbnail`.",
			});
		return await tasks.content(call, await known(call), variant === "video" ? "video" : "cover", 0);
	};

	const token = { access: "token" } as const;
	const body = t.Object({
		prompt: t.String(),
		model: t.Optional(t.String()),
		seconds: t.Optional(t.String()),
		size: t.Optional(t.String()),
	});
	const routesAt = (root: string): readonly Route[] => [
		{
			...token,
			method: "POST",
			path: root,
			summary: "Submits a video task as OpenAI's clients do.",
			body,
			handle: create,
		},
		{ ...token, method: "GET", path: root, summary: "Lists the token's videos, newest first.", handle: list },
		{
			...token,
			method: "POST",
			path: `${root}/edits`,
			summary: "Submits a change to a video.",
			handle: fromBody("EDIT"),
		},
		{
			...token,
			method: "POST",
			path: `${root}/extensions`,
			summary: "Submits a continuation of a video.",
			handle: fromBody("EXTEND"),
		},
		{ ...token, method: "GET", path: `${root}/:id`, summary: "Shows a video.", handle: show },
		{ ...token, method: "DELETE", path: `${root}/:id`, summary: "Removes a finished video.", handle: remove },
		{
			...token,
			method: "GET",
			path: `${root}/:id/content`,
			summary: "Gives the video itself, or its thumbnail.",
			handle: content,
		},
		{ ...token, method: "POST", path: `${root}/:id/remix`, summary: "Submits a remix of a video.", handle: remix },
	];
	return openAiRoots.flatMap((root) => routesAt(`${root}/videos`));
};
