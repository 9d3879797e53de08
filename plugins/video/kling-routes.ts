/** Kling's own API, for its clients: under `/kling/v1` and, for those that are only given another host, under `/v1`. */
import { asList, asRecord, type Identified, type Route, type WireRecord } from "#core";
import {
	klingAnswer,
	klingFields,
	klingPage,
	klingTask,
	pictureOf,
	renderKlingDenial,
	type Task,
	type TaskOrder,
	type Tasks,
} from "../tasks/service.ts";
import { absent, durationOf, isVideo, promptOf, secondsOf, videoOrder, videoUrl } from "./kind.ts";

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

const orderOf = async (maker: string, body: WireRecord): Promise<TaskOrder> => {
	const image = await pictureOf(body.image ?? asRecord(asList(body.image_list)[0]).image, "image");
	const needsPrompt = maker === "text2video";
	const { input, ...fields } = klingFields(body);
	return videoOrder({
		...fields,
		action: maker === "text2video" ? "TEXT_TO_VIDEO" : maker === "video-extend" ? "EXTEND" : "IMAGE_TO_VIDEO",
		prompt: promptOf(body.prompt, needsPrompt),
		seconds: secondsOf(body.duration, "duration") ?? 5,
		input: { ...input, maker, ...(image !== undefined && { image }) },
	});
};

const dataOf = (task: Task): WireRecord =>
	klingTask(task, () => ({
		videos: [{ id: `${task.id}-0`, url: videoUrl(task), duration: String(durationOf(task)) }],
	}));

export const klingRoutes = (tasks: Tasks): readonly Route[] => {
	const submitTo =
		(maker: string) =>
		async (call: Identified): Promise<Response> => {
			const body = await tasks.read(call);
			const order = await orderOf(maker, body);
			const task = await tasks.submit(call, { ...order, callbackUrl: tasks.callbackUrlOf(body) });
			return klingAnswer(call, dataOf(task), task);
		};

	const show = async (call: Identified): Promise<Response> => {
		const task = await tasks.find(call, call.params.id ?? "");
		if (!isVideo(task)) throw absent();
		return klingAnswer(call, dataOf(task), task);
	};

	const list = async (call: Identified): Promise<Response> => {
		const { data } = await tasks.list(call, { kind: "video", ...klingPage(call) });
		return klingAnswer(call, data.map(dataOf));
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
