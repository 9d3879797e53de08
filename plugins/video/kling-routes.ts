/** Kling's own API, for its clients: under `/kling/v1` and, for those that are only given another host, under `/v1`. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	type Identified,
	type RenderDenial,
	type Route,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import { pictureOf, type Task, type TaskOrder, type Tasks } from "../tasks/service.ts";
import { absent, durationOf, isVideo, promptOf, secondsOf, videoOrder, videoUrl, videoWords } from "./kind.ts";

/** Kling's routes by what they make a clip of. */
const makers = [
	"text2video",
	"image2video",
	"multi-image2video",
	"omni-video",
	"video-extend",
	"lip-sync",
	"effects",
	"multi-elements",
];

const ownFields = new Set([
	"callback_url",
	"notifyHook",
	"notify_hook",
	"model_name",
	"model",
	"prompt",
	"external_task_id",
]);

const orderOf = async (maker: string, body: WireRecord): Promise<TaskOrder> => {
	const image = await pictureOf(body.image ?? asRecord(asList(body.image_list)[0]).image, "image");
	const needsPrompt = maker === "text2video";
	const input = Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.has(name)));
	return videoOrder({
		action: maker === "text2video" ? "TEXT_TO_VIDEO" : maker === "video-extend" ? "EXTEND" : "IMAGE_TO_VIDEO",
		model: asText(body.model_name) ?? asText(body.model) ?? "kling-v1",
		prompt: promptOf(body.prompt, needsPrompt),
		seconds: secondsOf(body.duration, "duration") ?? 5,
		aspectRatio: asText(body.aspect_ratio),
		externalId: asText(body.external_task_id),
		input: { ...input, maker, ...(image !== undefined && { image }) },
	});
};

const dataOf = (task: Task): WireRecord => ({
	task_id: task.id,
	task_status: videoWords[task.status],
	task_status_msg: task.failure?.reason ?? "",
	task_info: { external_task_id: asText(task.details.externalId) ?? "" },
	created_at: task.submittedAt,
	updated_at: task.updatedAt,
	...(task.result && {
		task_result: { videos: [{ id: `${task.id}-0`, url: videoUrl(task), duration: String(durationOf(task)) }] },
	}),
});

/** The envelope, and the ids where clients of other gateways read them. */
const envelope = (call: Identified, task: Task): Response => {
	const top = { code: 0, message: "SUCCEED", request_id: call.requestId };
	return Response.json({ ...top, data: dataOf(task), id: task.id, task_id: task.id });
};

/** HTTP status and Kling's own number. */
const codes: Readonly<Partial<Record<Denial["kind"], readonly [number, number]>>> = {
	authentication: [401, 1000],
	permission: [403, 1103],
	quota_exhausted: [429, 1102],
	quota_held: [429, 1303],
	rate_limited: [429, 1302],
	content_policy: [400, 1301],
	not_found: [404, 1203],
	model_not_found: [404, 1202],
	internal: [500, 5000],
	overloaded: [503, 5001],
	upstream: [502, 5000],
	upstream_timeout: [504, 5002],
};

/** Refusals that Kling has no number for go by the status they have everywhere. */
const renderKlingDenial: RenderDenial = (denial, requestId) => {
	const own = renderOwnDenial(denial);
	const [status, code] = codes[denial.kind] ?? [own.status, 1200];
	return { status, headers: own.headers, body: { code, message: denial.message, request_id: requestId } };
};

const wholeOf = (text: string | null, fallback: number, most: number): number => {
	const value = Math.trunc(Number(text ?? fallback));
	return value >= 1 ? Math.min(most, value) : fallback;
};

export const klingRoutes = (tasks: Tasks): readonly Route[] => {
	const submitTo =
		(maker: string) =>
		async (call: Identified): Promise<Response> => {
			const body = await tasks.read(call);
			const order = await orderOf(maker, body);
			return envelope(call, await tasks.submit(call, { ...order, callbackUrl: tasks.callbackUrlOf(body) }));
		};

	const show = async (call: Identified): Promise<Response> => {
		const task = await tasks.find(call, call.params.id ?? "");
		if (!isVideo(task)) throw absent();
		return envelope(call, task);
	};

	const list = async (call: Identified): Promise<Response> => {
		const query = call.url.searchParams;
		const [size, page] = [wholeOf(query.get("pageSize"), 30, 500), wholeOf(query.get("pageNum"), 1, 1000)];
		const { data } = await tasks.list(call, { kind: "video", limit: size, skip: size * (page - 1) });
		const top = { code: 0, message: "SUCCEED", request_id: call.requestId };
		return Response.json({ ...top, data: data.map(dataOf) });
	};

	const shared = { access: "token", renderDenial: renderKlingDenial } as const;
	return ["/kling/v1/videos", "/v1/videos"].flatMap((base) =>
		makers.flatMap((maker): readonly Route[] => [
			{
				...shared,
				method: "POST",
				path: `${base}/${maker}`,
				summary: "Submits a video task as Kling's clients do.",
				handle: submitTo(maker),
			},
			{
				...shared,
				method: "GET",
				path: `${base}/${maker}/:id`,
				summary: "Shows a video as Kling's clients read it.",
				handle: show,
			},
			{
				...shared,
				method: "GET",
				path: `${base}/${maker}`,
				summary: "Lists videos as Kling's clients read them.",
				handle: list,
			},
		]),
	);
};
