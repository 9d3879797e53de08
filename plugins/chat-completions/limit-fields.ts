/** The field that limits what a model writes: which of the two it reads, and which it takes no notice of. */
import type { ModelCapabilities, WireRecord } from "#core";

/** The one for a limit that no client of this protocol gave. */
export const limitField = ({ maxTokensField = "max_tokens" }: ModelCapabilities): string =>
	maxTokensField === "either" ? "max_tokens" : maxTokensField;

/**
 * What changes where a client gave its limit by the newer name and the model reads the older: a limit that is not read is none,
 * and all that the model then writes is billed. OpenAI's models read both.
 */
export const unreadLimit = (body: WireRecord, { maxTokensField, vendor }: ModelCapabilities): WireRecord => {
	const { max_completion_tokens: limit, max_tokens: read } = body;
	const isUnread = maxTokensField === "max_tokens" && vendor !== "openai" && typeof read !== "number";
	return isUnread && typeof limit === "number" ? { max_tokens: limit, max_completion_tokens: undefined } : {};
};
