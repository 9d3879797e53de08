/** What an upstream of OpenAI's kind is sent besides the body. */
import type { ModelAsk } from "#core";

/** Client headers that an upstream may see; everything else (keys, cookies, addresses) stays here. */
const allowed = ["openai-beta", "x-client-request-id"];

/** The headers of a request that passes through. */
export const passedHeaders = ({ headers, call }: ModelAsk): Record<string, string> => {
	const kept: Record<string, string> = {
		"content-type": "application/json",
		accept: call.stream ? "text/event-stream" : "application/json",
	};
	for (const name of allowed) {
		const value = headers.get(name);
		if (value !== null) kept[name] = value;
	}
	return kept;
};
