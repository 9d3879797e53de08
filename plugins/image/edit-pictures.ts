/** The pictures that an edit begins with, and how it is read that there are any. */
import { asList, asText, definedOnly, type Fault, invalidParameter, type WireRecord } from "#core";
import { pictureOf, type TaskJob } from "../tasks/service.ts";

/** The action of a task that changes pictures. */
export const edit = "EDIT";

/** As many as OpenAI takes. */
const mostPictures = 16;

/** The fields that are read here. */
export const pictureFields: ReadonlySet<string> = new Set(["image", "images", "mask"]);

const isGiven = (one: unknown): boolean => one !== undefined && one !== null && one !== "";

/**
 * `images`, and `mask` where there is one, as addresses or `data:` URLs: what a task's upstream gets of them. Forms
 * send `image`, JSON sends `images`; either is taken from both. Throws `Fault`.
 */
export const editPictures = async (body: WireRecord): Promise<WireRecord> => {
	const parameter = body.images === undefined ? "image" : "images";
	const invalid = (message: string): Fault => invalidParameter(parameter, message);
	const given = [body.image, body.images].flat().filter(isGiven);
	if (given.length === 0)
		throw invalid("Send the picture to change: as the file `image` of a form, or in JSON as `images`.");
	if (given.length > mostPictures) throw invalid(`Send at most ${mostPictures} pictures.`);
	const images = await Promise.all(given.map((one) => pictureOf(one, parameter)));
	const mask = await pictureOf(body.mask, "mask");
	return { images, ...(mask !== undefined && { mask }) };
};

/** How many pictures an upstream is sent, a mask among them: it reads them all before it makes any. Absent where it is sent none. */
export const picturesIn = ({ image, images, mask }: WireRecord): { readonly inputImages?: number } =>
	definedOnly({ inputImages: [image, images, mask].flat(2).filter(isGiven).length || undefined });

/** The same of a job, for its upstream; no pictures where the job is no edit. */
export const picturesOf = (job: TaskJob): { readonly images: readonly string[]; readonly mask: string | undefined } =>
	job.action === edit
		? { images: asList(job.input.images).flatMap((one) => asText(one) ?? []), mask: asText(job.input.mask) }
		: { images: [], mask: undefined };
