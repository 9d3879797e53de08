/** What OpenAI's clients ask for: the bodies of `/v1/images/generations` and `/v1/images/edits`. */
import { asText, type WireRecord } from "#core";
import { fieldsBeside, type TaskOrder } from "../tasks/service.ts";
import { edit, editPictures, pictureFields, picturesIn } from "./edit-pictures.ts";
import { countOf, promptOf } from "./kind.ts";

/** Fields that say how to answer, not what to make. */
const ownFields = new Set(["async", "stream", "partial_images", "response_format"]);

/** Reads a body. Throws `Fault`. */
export type ReadOrder = (body: WireRecord, defaultModel: string) => TaskOrder | Promise<TaskOrder>;

export const imagineOrder = (body: WireRecord, defaultModel: string): TaskOrder => {
	const n = countOf(body.n);
	const kept = Object.entries(fieldsBeside(body, ownFields)).filter(
		([, value]) => value !== undefined && value !== null,
	);
	const input = Object.fromEntries(kept);
	const shown = kept.filter(([name]) => ["size", "quality", "background", "output_format"].includes(name));
	return {
		kind: "image",
		action: "IMAGINE",
		model: asText(body.model) ?? defaultModel,
		prompt: promptOf(body.prompt, true),
		details: { n, ...Object.fromEntries(shown) },
		input,
		bound: { images: n, ...picturesIn(input) },
	};
};

/** The same fields, and pictures. */
export const editOrder = async (body: WireRecord, defaultModel: string): Promise<TaskOrder> => {
	const fields = Object.entries(body).filter(([name]) => !pictureFields.has(name));
	const order = imagineOrder(Object.fromEntries(fields), defaultModel);
	const input = { ...order.input, ...(await editPictures(body)) };
	return { ...order, action: edit, input, bound: { ...order.bound, ...picturesIn(input) } };
};
