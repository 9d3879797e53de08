/** The prompt as every dialect's bodies have it: a text, which may not be endless. */
import { asText, invalidParameter } from "#core";

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
