/** Which of a client's own fields go on to an upstream. */
import { Fault, foldedName, steeringFinder, type WireRecord } from "#core";
import { callbackNames } from "./callback-url.ts";
import type { TaskOrder } from "./service.ts";

/** Those that name an address to call back: upstreams never call Portico's clients. */
const callbacks: ReadonlySet<string> = new Set([...callbackNames, "webhook", "notify_url"].map(foldedName));

/**
 * Fields that choose another model, address or key, and other spellings of those that choose what is made and how much of
 * it: some upstreams read them and nobody here does, so that what is made of them would not be counted.
 */
const { steers } = steeringFinder(
	"model model_name mv prompt n seconds duration durationSeconds sampleCount image images mask".split(" "),
);

const goesOn = (name: string): boolean => !steers(name) && !callbacks.has(foldedName(name));

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
	const kept = Object.fromEntries(Object.entries(input).filter(([name]) => goesOn(name)));
	refuseFiles(kept);
	return kept;
};
