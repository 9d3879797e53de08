/** What Midjourney's clients submit, by the last part of the path. */
import { asList, asNumber, asText, Fault, invalidParameter, isRecord, lookup, type WireRecord } from "#core";
import { fieldsBeside, type TaskOrder } from "../tasks/service.ts";
import { midjourneyModel, promptOf } from "./kind.ts";

/** Fields that are Portico's own business and not the upstream's. */
const ownFields = new Set(["state", "taskId"]);

type Reader = (
	body: WireRecord,
) => Pick<TaskOrder, "action" | "prompt"> & { readonly follows?: string; readonly more?: WireRecord };

const taskId = (body: WireRecord): string => {
	const id = asText(body.taskId)?.trim() ?? "";
	if (id === "") throw invalidParameter("taskId", "Send the id of the task to go on from as `taskId`.");
	return id;
};

const index = (body: WireRecord): number => {
	const value = asNumber(body.index);
	if (value === undefined || !Number.isInteger(value) || value < 1 || value > 4)
		throw invalidParameter("index", "The index must be 1, 2, 3 or 4.");
	return value;
};

const change: Reader = (body) => {
	const action = (asText(body.action) ?? "").toUpperCase();
	if (action === "REROLL") return { action, prompt: "", follows: taskId(body) };
	if (action !== "UPSCALE" && action !== "VARIATION")
		throw invalidParameter("action", "The action must be UPSCALE, VARIATION or REROLL.");
	return { action, prompt: "", follows: taskId(body), more: { index: index(body) } };
};

const shortActions = lookup<string>({ U: "UPSCALE", V: "VARIATION", R: "REROLL" });

/** `<id> U2`, `<id> V3`, `<id> R`. */
const simpleChange: Reader = (body) => {
	const match = /^(\S+)\s+([UVR])([1-4])?$/i.exec((asText(body.content) ?? "").trim());
	const letter = (match?.[2] ?? "").toUpperCase();
	if (!match || (letter !== "R" && match[3] === undefined))
		throw invalidParameter(
			"content",
			"The content must be a task's id and what to do with it, like `task_… U2`, `V3` or `R`.",
		);
	const { content: _content, ...rest } = body;
	return change({
		...rest,
		taskId: match[1],
		action: shortActions[letter],
		...(match[3] !== undefined && { index: Number(match[3]) }),
	});
};

/** The action a button stands for: `MJ::JOB::upsample::1::…`. */
const buttonActions: readonly (readonly [RegExp, string])[] = [
	[/::upsample/i, "UPSCALE"],
	[/::(?:high_|low_)?variation/i, "VARIATION"],
	[/::reroll/i, "REROLL"],
	[/zoom|outpaint/i, "ZOOM"],
	[/::pan_/i, "PAN"],
	[/inpaint/i, "INPAINT"],
	[/animate|video/i, "VIDEO"],
];

const action: Reader = (body) => {
	const customId = asText(body.customId) ?? "";
	if (customId === "") throw invalidParameter("customId", "Send the button's `customId`.");
	const word = buttonActions.find(([pattern]) => pattern.test(customId))?.[1] ?? "ACTION";
	return { action: word, prompt: "", follows: taskId(body) };
};

const pictures = (body: WireRecord, least: number, most: number): void => {
	const list = asList(body.base64Array);
	if (list.length < least || list.length > most || list.some((item) => typeof item !== "string"))
		throw invalidParameter("base64Array", `Send ${least} to ${most} pictures as \`base64Array\`.`);
};

const readers: Readonly<Record<string, Reader>> = {
	imagine: (body) => ({ action: "IMAGINE", prompt: promptOf(body.prompt, true) }),
	change,
	"simple-change": simpleChange,
	action,
	modal: (body) => ({ action: "MODAL", prompt: promptOf(body.prompt, false), follows: taskId(body) }),
	blend(body) {
		pictures(body, 2, 5);
		return { action: "BLEND", prompt: "" };
	},
	describe(body) {
		if ((asText(body.base64) ?? asText(body.link) ?? "") === "")
			throw invalidParameter("base64", "Send the picture as `base64`.");
		return { action: "DESCRIBE", prompt: "" };
	},
	shorten: (body) => ({ action: "SHORTEN", prompt: promptOf(body.prompt, true) }),
	edits: (body) => ({ action: "EDITS", prompt: promptOf(body.prompt, true) }),
	edit: (body) => ({ action: "EDITS", prompt: promptOf(body.prompt, true) }),
	retexture: (body) => ({ action: "RETEXTURE", prompt: promptOf(body.prompt, true) }),
	show: (body) => ({ action: "SHOW", prompt: asText(body.jobInfo) ?? "" }),
	video: (body) => ({
		action: "VIDEO",
		prompt: promptOf(body.prompt, false),
		...(asText(body.taskId) && { follows: taskId(body) }),
	}),
	swap(body) {
		for (const name of ["sourceBase64", "targetBase64"])
			if (!asText(body[name]))
				throw invalidParameter(name, `Send both pictures, as \`sourceBase64\` and \`targetBase64\`.`);
		return { action: "SWAP_FACE", prompt: "" };
	},
};

/** `mode`: `fast`, `relax`, `turbo`, as the path says; absent for the account's own. Throws `Fault`. */
export const midjourneyOrder = (path: string, body: WireRecord, mode: string | undefined): TaskOrder => {
	const reader = Object.hasOwn(readers, path) ? readers[path] : undefined;
	if (!reader) throw new Fault({ kind: "not_found", message: `There is no submission "${path.slice(0, 32)}" here.` });
	const { action: word, prompt, follows, more = {} } = reader(body);
	const state = asText(body.state);
	const wanted = asText(body.model);
	return {
		kind: "image",
		action: word,
		model: wanted ?? midjourneyModel,
		prompt,
		details: {
			...(mode !== undefined && { mode }),
			...more,
			...(isRecord(body.accountFilter) && { accountFilter: body.accountFilter }),
		},
		input: { ...fieldsBeside(body, ownFields), ...more },
		bound: { images: 1 },
		...(state !== undefined && { state }),
		...(follows !== undefined && { follows }),
	};
};
