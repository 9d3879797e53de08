/** How OpenAI's upstreams get their key, and what their failures mean. */
import { bearer, openAiFailure, type SendOptions } from "#core";

export const wire: SendOptions["wire"] = {
	headers: (key) => ({
		"content-type": "application/json",
		...bearer(key),
	}),
	decodeError: openAiFailure,
};
