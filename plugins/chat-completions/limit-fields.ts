/** The fields that limit what a model writes: which of the two it reads, and which it takes no notice of. */
import type { ModelCapabilities, WireRecord } from "#core";

/** A limit under every name that the model reads. */
export const limitFields = (limit: number, { maxTokensField = "max_tokens" }: ModelCapabilities): WireRecord =>
	maxTokensField === "both" ? { max_tokens: limit, max_completion_tokens: limit } : { [maxTokensField]: limit };

/**
 * What changes where a client gave its limit by one name and the model reads the other: a limit that is not read is none, and
 * all that the model then writes is billed. OpenAI's models read both.
 */
export const unreadLimit = (body: WireRecord, capabilities: ModelCapabilities): WireRecord => {
	const { max_completion_tokens: current, max_tokens: older } = body;
	const { maxTokensField: read, vendor } = capabilities;
	const limits = [current, older].filter((limit) => typeof limit === "number");
	const [limit] = limits;
	if (limit === undefined || limits.length === 2) return {};
	if (read === "both") return limitFields(limit, capabilities);
	const isUnread = read === "max_tokens" && vendor !== "openai" && limit === current;
	return isUnread ? { max_tokens: limit, max_completion_tokens: undefined } : {};
};
