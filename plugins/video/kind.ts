/** The kind `video`: its words, its callback, and how the uniform route's body is read. */
import {
	asNumber,
	asRecord,
	asText,
	definedOnly,
	Fault,
	type Identified,
	invalidParameter,
	type WireRecord,
} from "#core";
import {
	fileUrl,
	klingWords,
	readPrompt,
	type Task,
	type TaskKind,
	type TaskOrder,
	type Tasks,
} from "../tasks/service.ts";
import type { KlingMaker } from "./kling-makers.ts";

/** Charged where neither the client nor its model says how long a clip is. */
const usualSeconds = 10;

/** Whoever asks for a hundredth of a second is made a clip of some seconds all the same. */
const shortestSeconds = 1;
const longestSeconds = 3600;

/** The prompt, or a `Fault`. One may be left out where there is a picture to begin with. */
export const promptOf = (value: unknown, required: boolean): string => readPrompt(value, "clip", required);

/** How long the clip is to be, from a number or text; undefined when nothing is said. Throws `Fault`. */
export const secondsOf = (value: unknown, parameter: string): number | undefined => {
	if (value === undefined || value === null || value === "") return undefined;
	const seconds = asNumber(value) ?? Number(asText(value) ?? Number.NaN);
	if (!(seconds >= shortestSeconds && seconds <= longestSeconds))
		throw invalidParameter(
			parameter,
			`"${parameter}" must be a number of seconds from ${shortestSeconds} to ${longestSeconds}.`,
		);
	return seconds;
};

/** What the dialects have in common, once read. */
export interface VideoWish {
	readonly action: "TEXT_TO_VIDEO" | "IMAGE_TO_VIDEO" | "REMIX" | "EXTEND" | "EDIT";
	readonly model: string;
	readonly prompt: string;
	readonly seconds?: number | undefined;
	readonly size?: string | undefined;
	readonly aspectRatio?: string | undefined;
	readonly externalId?: string | undefined;
	readonly follows?: string | undefined;
	/** The route of Kling's that was called; nobody else can choose one. */
	readonly maker?: KlingMaker;
	readonly input: WireRecord;
}

export const videoOrder = (wish: VideoWish): TaskOrder => {
	const { seconds, size, aspectRatio, externalId, follows, maker } = wish;
	const { maker: _clients, ...input } = wish.input;
	return {
		kind: "video",
		action: wish.action,
		model: wish.model,
		prompt: wish.prompt,
		details: {
			...(seconds !== undefined && { seconds }),
			...(size !== undefined && { size }),
			...(aspectRatio !== undefined && { aspectRatio }),
			...(externalId !== undefined && { externalId }),
			...(follows !== undefined && { follows }),
			...(maker !== undefined && { maker }),
		},
		input,
		bound: { seconds: seconds ?? usualSeconds },
		...(follows !== undefined && { follows }),
	};
};

export const videoUrl = (task: Task): string => fileUrl(task, "video");
export const coverUrl = (task: Task): string => fileUrl(task, "cover");

/** Seconds, to the thousandth; what was asked for where the upstream does not say; 0 before there is a result. */
export const durationOf = (task: Task): number => {
	if (!task.result) return 0;
	const asked = asNumber(task.details.seconds) ?? 0;
	return Math.max(0, Math.round((task.result.duration ?? asked) * 1000) / 1000);
};

/** A number with its decimal point, also where it is whole: receivers of typed languages are told that it is one. */
const decimal = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

const callback = (task: Task): string => {
	const text = (value: string): string => JSON.stringify(value);
	const output = `{"video_url":${text(videoUrl(task))},"cover_url":${text(coverUrl(task))},"duration":${decimal(durationOf(task))}}`;
	return `{"id":${text(task.id)},"status":"${klingWords[task.status]}","type":"video","output":${output},"created_at":${seconds(task.submittedAt)},"updated_at":${seconds(task.updatedAt)}}`;
};

const read = (body: WireRecord, defaultModel: string): TaskOrder => {
	const input = { ...asRecord(body.metadata), ...asRecord(body.input) };
	const image = asText(input.image) ?? asText(body.image);
	return videoOrder({
		action: image === undefined ? "TEXT_TO_VIDEO" : "IMAGE_TO_VIDEO",
		model: asText(body.model) ?? defaultModel,
		prompt: promptOf(body.prompt, image === undefined),
		seconds: secondsOf(input.seconds ?? input.duration ?? body.seconds ?? body.duration, "seconds"),
		size: asText(input.size) ?? asText(body.size),
		aspectRatio: asText(input.aspect_ratio) ?? asText(body.aspect_ratio),
		input: { ...input, ...(image !== undefined && { image }) },
	});
};

export const videoKind = (defaultModel: string): TaskKind => ({
	name: "video",
	words: klingWords,
	defaultModel,
	timeoutMinutes: 30,
	read: (body) => read(body, defaultModel),
	callback,
	// Clips are sold by the length that was asked for; what comes is a few frames longer or shorter.
	units: ({ details, result, bound }) => {
		const told = Math.round(result?.duration ?? 0);
		return definedOnly({ seconds: asNumber(details.seconds) ?? (told >= shortestSeconds ? told : bound.seconds) });
	},
});

export const absent = (): Fault =>
	new Fault({ kind: "not_found", code: "task_not_found", message: "There is no video of that id under this token." });

/** The video of that id, or a `Fault`: also for a task of another kind. */
export const videoTask = async (tasks: Tasks, call: Identified, id: string): Promise<Task> => {
	const task = await tasks.find(call, id);
	if (task?.kind !== "video") throw absent();
	return task;
};
