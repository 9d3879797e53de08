/** Tells an event that the end of its stream cut off. By the standard it is none, and clients fail on half a JSON. */
import { parseJson } from "../neutral/json.ts";

/** True for the data of an event without its blank line that is nothing yet, or JSON that has begun and not ended. */
export const isTorn = (data: string): boolean => {
	const text = data.trim();
	if (text === "") return true;
	return (text.startsWith("{") || text.startsWith("[")) && text !== "[DONE]" && parseJson(text) === undefined;
};
