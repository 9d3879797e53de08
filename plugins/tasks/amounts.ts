/** Names that services have for how much is made: they read them beside, or in place of, those that are counted here. */
import { foldedName } from "#core";

const things = "(?:image|picture|photo|output|sample|result|video|clip|variation|variant|generation)s?";
const numbers = "(?:num|nums|number|numof|numberof|count|total|max|quantity|amount)";

/** `num_images`, `number_results`, `image_count`, `images_per_prompt`, `batch_size`. */
const counts = new RegExp(
	`^(?:(?:n|${numbers})${things}|${things}${numbers}|${numbers}?${things}per(?:prompt|request|batch)` +
		"|batch(?:es|size|count|num)?|samples|count|quantity|candidatecount|sequentialimagegeneration(?:options)?)$",
);

const whose = "(?:n|num|number|numberof|video|clip|movie|film|output|target|total|max|min|generation|extend|extension)";
const unit = "(?:s|ms|secs?|seconds|insecs?|inseconds|inms|milliseconds)?";

/** `video_length`, `duration_in_seconds`, `n_seconds`, `num_frames`. */
const lengths = new RegExp(
	`^(?:${whose}?(?:length|duration)${unit}|${whose}(?:secs?|seconds?)|${whose}?frames|${whose}?frames?(?:n|num|number|count))$`,
);

/** Whether a field of this name makes some service make more of it. */
export const countsThings = (name: string): boolean => counts.test(foldedName(name));

/** The same, or make it longer. */
export const makesMore = (name: string): boolean => countsThings(name) || lengths.test(foldedName(name));
