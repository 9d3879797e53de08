/** The kind `image`: its words, its callback, and how the uniform route's body is read. */
import { asCount, asNumber, asRecord, asText, definedOnly, invalidParameter, type WireRecord } from "#core";
import { fileUrl, readPrompt, type Task, type TaskKind, type TaskOrder } from "../tasks/service.ts";
import { edit, editPictures, pictureFields, picturesIn } from "./edit-pictures.ts";

export const imageWords = {
	NOT_START: "NOT_START",
	IN_PROGRESS: "IN_PROGRESS",
	SUCCESS: "SUCCESS",
	FAILURE: "FAILURE",
} as const;

/** Asked for by Midjourney's clients, which have no field for a model. */
export const midjourneyModel = "midjourney";

/** Parts of addresses of theirs. */
export const midjourneyModes: ReadonlySet<unknown> = new Set(["fast", "relax", "turbo"]);

const mostImages = 10;

/** The prompt, or a `Fault`. `required`: an empty one is refused. */
export const promptOf = (value: unknown, required: boolean): string => readPrompt(value, "picture", required);

/** How many pictures: a whole number from 1 to 10, or a `Fault`. Forms send it as text. */
export const countOf = (value: unknown): number => {
	if (value === undefined || value === null) return 1;
	const count = asNumber(value) ?? Number(asText(value) || Number.NaN);
	if (!Number.isInteger(count) || count < 1 || count > mostImages)
		throw invalidParameter("n", `"n" must be a whole number from 1 to ${mostImages}.`);
	return count;
};

/** The address of the first picture; `""` before there is one. */
export const imageUrl = (task: Task): string => fileUrl(task, "image");

/** A described picture is answered with words; those are its prompt from then on. */
export const shownPrompt = (task: Task): string => asText(task.result?.extra?.prompt) ?? task.prompt;

/** What is answered with words alone. Of anything else one picture counts at least, for a film need not have a still one. */
const answeredInWords: ReadonlySet<string> = new Set(["DESCRIBE", "SHORTEN"]);

const callback = (task: Task): string =>
	JSON.stringify({
		id: task.id,
		action: task.action,
		status: imageWords[task.status],
		prompt: shownPrompt(task),
		imageUrl: imageUrl(task),
		progress: `${task.progress}%`,
		failReason: task.failure?.reason ?? "",
		submitTime: task.submittedAt,
		startTime: task.startedAt,
		finishTime: task.finishedAt,
	});

/** Nobody is shown pictures on their way by routes that do not stream, so none are asked for. */
export const withoutPartials = ({ partial_images: _shown, ...input }: WireRecord): WireRecord => input;

/** What only the upstream needs; of an edit, its pictures as every upstream reads them. */
const inputOf = async (given: WireRecord, action: string): Promise<WireRecord> => {
	const input = withoutPartials(given);
	if (action !== edit) return input;
	const rest = Object.entries(input).filter(([name]) => !pictureFields.has(name));
	return { ...Object.fromEntries(rest), ...(await editPictures(input)) };
};

const read = async (body: WireRecord, defaultModel: string): Promise<TaskOrder> => {
	const input = { ...asRecord(body.metadata), ...asRecord(body.input) };
	const action = (asText(body.action) ?? "IMAGINE").toUpperCase();
	const n = countOf(input.n ?? body.n);
	const sent = await inputOf(input, action);
	return {
		kind: "image",
		action,
		model: asText(body.model) ?? defaultModel,
		prompt: promptOf(body.prompt, true),
		details: { n, ...(asText(input.size) !== undefined && { size: input.size }) },
		input: sent,
		bound: { images: n, ...picturesIn(sent) },
	};
};

export const imageKind = (defaultModel: string): TaskKind => ({
	name: "image",
	words: imageWords,
	defaultModel,
	timeoutMinutes: 10,
	read: (body) => read(body, defaultModel),
	callback,
	units({ action, result, bound: { inputImages } }) {
		const files = result?.files ?? [];
		const pictures = files.filter(({ role }) => role === "image").length;
		// One more may have been made than came.
		const told = asCount(result?.told?.n) ?? 0;
		const images = Math.max(pictures, told, answeredInWords.has(action) && files.length === 0 ? 0 : 1);
		return definedOnly({ images, inputImages, partialImages: asCount(result?.told?.partial_images) });
	},
});
