/** Kling's own API, for its clients: under `/kling/v1` and, for those that are only given another host, under `/v1`. */
import { asList, asRecord, asText, type Identified, membersOf, type Route, type WireRecord } from "#core";
import {
	findKlingTask,
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
import { absent, durationOf, promptOf, secondsOf, type VideoWish, videoOrder, videoUrl } from "./kind.ts";
import { isKlingMaker, type KlingMaker, klingMakers } from "./kling-makers.ts";

const makerNames = Object.keys(klingMakers).filter(isKlingMaker);

/** Where a client does not say how long. */
const usualLength = 5;

/** A clip that is changed stays as long as it is, whatever length is asked for; one that is looked at only does not count. */
const isEdited = ({ refer_type: type }: WireRecord): boolean => type !== "feature";

/** Seconds of the clip; undefined where the upstream tells them at the end. */
const lengthOf = (maker: KlingMaker, { duration, input, video_list: videos }: WireRecord): number | undefined => {
	if (maker === "lip-sync" || (maker === "omni-video" && membersOf(videos).some(isEdited))) return undefined;
	if (klingMakers[maker] === "nowhere") return usualLength;
	const within = klingMakers[maker] === "within" ? asRecord(input).duration : undefined;
	return secondsOf(within ?? duration, within === undefined ? "duration" : "input.duration") ?? usualLength;
};

const actionOf = (maker: KlingMaker): VideoWish["action"] => {
	if (maker === "text2video") return "TEXT_TO_VIDEO";
	return maker === "video-extend" ? "EXTEND" : "IMAGE_TO_VIDEO";
};

const orderOf = async (maker: KlingMaker, body: WireRecord): Promise<TaskOrder> => {
	const image = await pictureOf(body.image ?? asRecord(asList(body.image_list)[0]).image, "image");
	const needsPrompt = maker === "text2video";
	const { input, model, ...fields } = klingFields(body);
	const within = klingMakers[maker] === "within" ? asText(asRecord(body.input).model_name) : undefined;
	return videoOrder({
		...fields,
		model: within ?? model,
		action: actionOf(maker),
		prompt: promptOf(body.prompt, needsPrompt),
		seconds: lengthOf(maker, body),
		maker,
		input: { ...input, ...(image !== undefined && { image }) },
	});
};

const dataOf = (task: Task): WireRecord =>
	klingTask(task, () => ({
		videos: [{ id: `${task.id}-0`, url: videoUrl(task), duration: String(durationOf(task)) }],
	}));

export const klingRoutes = (tasks: Tasks): readonly Route[] => {
	const submitTo =
		(maker: KlingMaker) =>
		async (call: Identified): Promise<Response> => {
			const body = await tasks.read(call);
			const order = await orderOf(maker, body);
			const task = await tasks.submit(call, { ...order, callbackUrl: tasks.callbackUrlOf(body) });
			return klingAnswer(call, dataOf(task), task);
		};

	const show = async (call: Identified): Promise<Response> => {
		const task = await findKlingTask(tasks, call, "video");
		if (!task) throw absent();
		return klingAnswer(call, dataOf(task), task);
	};

	const listOf =
		(maker: KlingMaker) =>
		async (call: Identified): Promise<Response> => {
			const { data } = await tasks.list(call, { kind: "video", maker, ...klingPage(call) });
			return klingAnswer(call, data.map(dataOf));
		};

	const shared = { access: "token", renderDenial: renderKlingDenial } as const;
	return ["/kling/v1/videos", "/v1/videos"].flatMap((base) =>
		makerNames.flatMap((maker): readonly Route[] => [
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
				summary: "Lists the videos of this route as Kling's clients read them.",
				handle: listOf(maker),
			},
		]),
	);
};
