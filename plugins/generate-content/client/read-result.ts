/** What a function gave, out of the object that Google demands around it. */
import { asRecord, asText, isRecord, type WireRecord } from "#core";

/** Under these names alone stands a result that is just a text. */
const wrappers = new Set(["output", "result", "error", "content", "return_value", "value"]);

/** What several libraries put into `{ name, content }`, because Google takes no result but an object. */
const wrappedContent = (response: WireRecord, name: string | undefined): string | undefined => {
	const { name: named, content } = response;
	if (named !== name || content === undefined || Object.keys(response).length !== 2) return undefined;
	if (typeof content === "string") return content;
	const texts = Array.isArray(content) ? content.map((part) => asText(asRecord(part)["text"])) : [];
	return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : JSON.stringify(content);
};

/** `called`: the name of the function. */
export const readResult = (
	response: unknown,
	called: string | undefined,
): { readonly text: string; readonly isError: boolean } => {
	if (!isRecord(response)) return { text: asText(response) ?? "", isError: false };
	const [entry, ...others] = Object.entries(response);
	if (!entry) return { text: "{}", isError: false };
	const [name, value] = entry;
	const isError = name === "error" && others.length === 0;
	if (others.length === 0 && wrappers.has(name) && typeof value === "string") return { text: value, isError };
	return { text: wrappedContent(response, called) ?? JSON.stringify(response), isError };
};
