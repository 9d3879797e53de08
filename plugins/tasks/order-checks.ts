/** What an order may say whatever its kind: a prompt that is not endless, names that can stand in addresses, and details that are not too long to keep. */
import { asRecord, asText, deny, Fault, invalidParameter, isRecord } from "#core";
import { isSoundBound } from "./sound-kind.ts";
import type { TaskOrder } from "./task.ts";

/** Characters; the same for the words of a song. */
export const longestPrompt = 100_000;

/** Reads the prompt of a `thing`. Throws `Fault`; for an empty one only where it is `required`. */
export const readPrompt = (value: unknown, thing: "picture" | "clip", required: boolean): string => {
	if (value !== undefined && value !== null && typeof value !== "string")
		throw invalidParameter("prompt", "The prompt must be text.");
	const prompt = asText(value) ?? "";
	if (required && prompt.trim() === "")
		throw invalidParameter("prompt", `The prompt is empty; say what the ${thing} is to show.`);
	if (prompt.length > longestPrompt)
		throw invalidParameter("prompt", `The prompt is longer than ${longestPrompt} characters.`);
	return prompt;
};

const longestDetails = 16_000;

/** Names go into the log, the table and addresses of upstreams. */
const checkNames = ({ model, action }: TaskOrder): void => {
	if (!/^[\w./:@+ -]{1,200}$/.test(model))
		throw invalidParameter("model", "The model's name must be 1 to 200 letters, digits and ./:@+- marks.");
	if (/(?:^|\/)\.\.?(?:\/|$)/.test(model))
		throw invalidParameter("model", "The model's name must not contain `.` or `..` between slashes.");
	if (!/^[A-Z][A-Z0-9_]{0,31}$/.test(action))
		throw invalidParameter("action", "The action must be a word in capitals like IMAGINE or TEXT_TO_VIDEO.");
};

/** Kept for as long as the task, and shown in every list. */
const checkDetails = ({ details }: TaskOrder): void => {
	if (JSON.stringify(details).length > longestDetails)
		throw new Fault(
			deny(
				"invalid_request",
				`Sizes, titles, tags and the like are longer than ${longestDetails} characters together; send less.`,
			),
		);
};

const isText = (value: unknown): boolean => typeof value === "string";
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);

const members: Readonly<Record<keyof TaskOrder, (value: unknown) => boolean>> = {
	kind: isText,
	action: isText,
	model: isText,
	prompt: isText,
	details: isRecord,
	input: isRecord,
	bound: isSoundBound,
	state: isTextOrNone,
	callbackUrl: isTextOrNone,
	follows: isTextOrNone,
};

/** A kind in plain JavaScript may read anything, and nothing can be held for that: throws for what no type allows. */
const checkMembers = (order: TaskOrder): void => {
	const given = asRecord(order);
	const wrong = Object.entries(members).flatMap(([name, isSound]) => (isSound(given[name]) ? [] : [name]));
	if (wrong.length > 0)
		throw new TypeError(`the kind "${String(given["kind"])}" made an order whose ${wrong.join(", ")} cannot be`);
};

/** Throws `Fault` for an order that cannot be taken on as it is. */
export const checkOrder = (order: TaskOrder): void => {
	checkMembers(order);
	checkNames(order);
	checkDetails(order);
};
