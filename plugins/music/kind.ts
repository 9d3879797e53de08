/** The kind `music`: its words, its callback, and how the uniform route's body is read. */
import { asBoolean, asList, asNumber, asRecord, asText, Fault, invalidParameter, type WireRecord } from "#core";
import {
	fieldsBeside,
	longestPrompt,
	type ResultFile,
	type Task,
	type TaskKind,
	type TaskOrder,
} from "../tasks/service.ts";

const musicWords = {
	NOT_START: "submitted",
	IN_PROGRESS: "processing",
	SUCCESS: "complete",
	FAILURE: "error",
} as const;

/** Suno's services answer each submission with two variants. */
const mostSongs = 2;

const textOf = (body: WireRecord, name: string): string | undefined => {
	const value = body[name];
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string") throw invalidParameter(name, `"${name}" must be text.`);
	if (value.length > longestPrompt)
		throw invalidParameter(name, `"${name}" is longer than ${longestPrompt} characters.`);
	return value.trim() === "" ? undefined : value;
};

/** Fields that are read here; the others go to the upstream as they are. */
const ownFields = new Set([
	"mv",
	"gpt_description_prompt",
	"title",
	"tags",
	"kind",
	"action",
	"input",
	"metadata",
	"state",
]);

/** A song from Suno's fields: a description, or words with a title and a style. Throws `Fault`. */
export const songOrder = (body: WireRecord, defaultModel: string): TaskOrder => {
	const description = textOf(body, "gpt_description_prompt");
	const words = textOf(body, "prompt");
	const [title, tags] = [textOf(body, "title"), textOf(body, "tags")];
	const continues = textOf(body, "continue_clip_id");
	const prompt = description ?? words ?? tags ?? title ?? "";
	if (prompt === "" && continues === undefined)
		throw invalidParameter(
			"prompt",
			"Say what the song is to be: gpt_description_prompt, or prompt with title and tags.",
		);
	const seconds = asNumber(body.seconds) ?? asNumber(body.duration);
	return {
		kind: "music",
		action: "MUSIC",
		model: textOf(body, "mv") ?? textOf(body, "model") ?? defaultModel,
		prompt,
		details: {
			described: description !== undefined,
			...(title !== undefined && { title }),
			...(tags !== undefined && { tags }),
			...(seconds !== undefined && { seconds }),
			...(asBoolean(body.make_instrumental) === true && { instrumental: true }),
		},
		input: fieldsBeside(body, ownFields),
		bound: { songs: mostSongs },
	};
};

/** Words for a song. Throws `Fault`. */
export const lyricsOrder = (body: WireRecord, defaultModel: string): TaskOrder => {
	const prompt = textOf(body, "prompt");
	if (prompt === undefined)
		throw new Fault({
			kind: "invalid_request",
			code: "prompt_empty",
			parameter: "prompt",
			message: "The prompt is empty; say what the words are to be about.",
		});
	const model = textOf(body, "mv") ?? textOf(body, "model") ?? defaultModel;
	return {
		kind: "music",
		action: "LYRICS",
		model,
		prompt,
		details: {},
		input: fieldsBeside(body, ownFields),
		bound: { songs: 0 },
	};
};

/** One variant of a finished song. Seconds are not rounded. */
interface Clip {
	readonly id: string;
	readonly title: string;
	readonly audioUrl: string;
	readonly imageUrl: string;
	readonly videoUrl: string;
	readonly duration: number;
	readonly tags: string;
	readonly words: string;
}

/** The files of each variant: a song, and what its upstream gave after it, before the next. */
const variantsOf = (task: Task): readonly (readonly ResultFile[])[] => {
	const variants: ResultFile[][] = [];
	for (const file of task.result?.files ?? []) {
		if (file.role === "audio") variants.push([file]);
		else variants.at(-1)?.push(file);
	}
	return variants;
};

/** The variants there are, in the upstream's order. */
export const clipsOf = (task: Task): readonly Clip[] => {
	const known = asList(task.result?.extra?.clips).map(asRecord);
	return variantsOf(task).map((files, index) => {
		const clip = known[index] ?? {};
		const url = (role: string): string => files.find((file) => file.role === role)?.url ?? "";
		return {
			id: asText(clip.id) ?? `${task.id}-${index}`,
			title: asText(clip.title) ?? task.result?.title ?? asText(task.details.title) ?? "",
			audioUrl: url("audio"),
			imageUrl: url("cover"),
			videoUrl: url("video"),
			duration: asNumber(clip.duration) ?? task.result?.duration ?? 0,
			tags: asText(clip.tags) ?? asText(task.details.tags) ?? "",
			words: asText(clip.prompt) ?? task.prompt,
		};
	});
};

const callback = (task: Task): string => {
	const [clip] = clipsOf(task);
	const title = task.status === "SUCCESS" ? (clip?.title ?? task.result?.title ?? "") : "";
	return JSON.stringify({
		id: task.id,
		status: musicWords[task.status],
		output: { audio_url: clip?.audioUrl ?? "", title, duration: Math.round(clip?.duration ?? 0) },
	});
};

const read = (body: WireRecord, defaultModel: string): TaskOrder => {
	const flat = { ...body, ...asRecord(body.metadata), ...asRecord(body.input) };
	const action = (asText(body.action) ?? "MUSIC").toUpperCase();
	if (action === "LYRICS") return lyricsOrder(flat, defaultModel);
	const described = flat.title === undefined && flat.tags === undefined && flat.gpt_description_prompt === undefined;
	return songOrder(described ? { ...flat, gpt_description_prompt: flat.prompt } : flat, defaultModel);
};

export const musicKind = (defaultModel: string): TaskKind => ({
	name: "music",
	words: musicWords,
	defaultModel,
	timeoutMinutes: 10,
	read: (body) => read(body, defaultModel),
	callback,
	units: (task) => ({ songs: variantsOf(task).length }),
});
