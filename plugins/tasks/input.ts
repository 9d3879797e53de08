/** Which of a client's own fields go on to an upstream. */
import { Fault, foldedName, isRecord, parseJson, steeringFinder, type WireRecord } from "#core";
import { callbackNames } from "./callback-url.ts";
import type { TaskOrder } from "./service.ts";

/** Those that name an address to call back: upstreams never call Portico's clients. */
const callbacks: ReadonlySet<string> = new Set([...callbackNames, "webhook", "notify_url"].map(foldedName));

const asked = "model model_name mv prompt n seconds duration durationSeconds sampleCount image images mask".split(" ");

/**
 * Fields that choose another model, address or key, and other spellings of those that choose what is made and how much of
 * it: some upstreams read them and nobody here does, so that what is made of them would not be counted.
 */
const { steers } = steeringFinder(asked);

/** By these some upstreams make more, or longer, than those say that are counted here. */
const more: ReadonlySet<string> = new Set(
	(
		"num_images number_of_images images_per_prompt num_images_per_prompt max_images num_outputs num_samples batch_count " +
		"sequential_image_generation sequential_image_generation_options candidate_count n_variants num_videos number_of_videos " +
		"num_videos_per_prompt n_seconds num_seconds video_length clip_length frames num_frames n_frames frame_count"
	)
		.split(" ")
		.map(foldedName),
);

/** OpenAI's drawings are written by a second model, which this names, at prices that nobody here counts; forms write `svg[model]`. */
const choosesAuthor = (name: string): boolean => /^svg(?:\[|$)/i.test(name);

/** Which model is asked is said by the order, in the field of each upstream's own. */
const models: ReadonlySet<string> = new Set(["model", "model_name", "mv"]);

const goesOn = (name: string): boolean =>
	!models.has(name) &&
	!steers(name) &&
	!choosesAuthor(name) &&
	!callbacks.has(foldedName(name)) &&
	!more.has(foldedName(name));

const overriding: ReadonlySet<string> = new Set(asked.map(foldedName));

/** Upstreams that are gateways put what is in `metadata` over what is beside it. */
const harmless = (metadata: unknown): unknown => {
	const fields = typeof metadata === "string" ? parseJson(metadata) : metadata;
	if (!isRecord(fields)) return metadata;
	const kept = Object.entries(fields).filter(([name]) => goesOn(name) && !overriding.has(foldedName(name)));
	return Object.fromEntries(kept);
};

/** Throws `Fault` where one of the fields is a file. */
export const refuseFiles = (fields: WireRecord): void => {
	const file = Object.entries(fields).find(([, value]) => [value].flat().some((one) => one instanceof Blob));
	if (!file) return;
	const parameter = file[0].slice(0, 64);
	throw new Fault({
		kind: "invalid_request",
		parameter,
		message: `"${parameter}" was sent as a file; here it is taken as an address or as base64.`,
	});
};

/** The order's input without what no client may say. Throws `Fault` for a file that its kind has not made into text. */
export const inputOf = ({ input }: TaskOrder): WireRecord => {
	const kept = Object.fromEntries(
		Object.entries(input)
			.filter(([name]) => goesOn(name))
			.map(([name, value]) => [name, foldedName(name) === "metadata" ? harmless(value) : value]),
	);
	refuseFiles(kept);
	return kept;
};
