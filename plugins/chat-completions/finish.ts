/** How an answer ended: OpenAI's words and those of the vendors that speak its protocol. */
import { type Finish, lookup } from "#core";

const reasons = lookup<Finish["reason"]>({
	stop: "stop",
	eos: "stop",
	end_turn: "stop",
	length: "length",
	max_tokens: "length",
	model_length: "length",
	time_limit: "length",
	model_context_window_exceeded: "context_full",
	tool_calls: "tool_calls",
	tool_use: "tool_calls",
	function_call: "tool_calls",
	content_filter: "safety",
	sensitive: "safety",
	safety: "safety",
	blocklist: "safety",
	prohibited_content: "safety",
	spii: "safety",
	recitation: "recitation",
	refusal: "refusal",
	malformed_function_call: "malformed_call",
	function_call_filter: "malformed_call",
	error: "error",
	network_error: "error",
	insufficient_system_resource: "error",
	abort: "error",
	cancelled: "error",
});

/**
 * The neutral finish for a choice's `finish_reason`. Calls that were really made decide between a stop and tool calls;
 * a stop at the limit stays one. `matched` is the stop sequence, where the vendor tells it.
 */
export const decodeFinish = (raw: string | undefined, calls: boolean, matched?: string): Finish => {
	// Google's begin with OpenAI's word, or are Gemini's own: `content_filter: SPII`, `MAX_TOKENS`.
	const said = reasons[raw?.split(":", 1)[0]?.toLowerCase() ?? ""] ?? "stop";
	const raws = raw === undefined ? {} : { raw };
	if (calls && said === "stop") return { reason: "tool_calls", ...raws };
	if (!calls && said === "tool_calls") return { reason: "stop", ...raws };
	if (said === "stop" && matched !== undefined) return { reason: "stop_sequence", stopSequence: matched, ...raws };
	return { reason: said, ...raws };
};

/** OpenAI's word for a neutral finish. A refusal that was put into words is an ordinary stop there: `refused`. */
export const encodeFinish = (finish: Finish, refused = false): "stop" | "length" | "tool_calls" | "content_filter" => {
	switch (finish.reason) {
		// A pause is no end either: `length` is the word by which clients know that there is more to come.
		case "length":
		case "context_full":
		case "pause":
			return "length";
		case "tool_calls":
			return "tool_calls";
		case "refusal":
			return refused ? "stop" : "content_filter";
		case "safety":
		case "recitation":
			return "content_filter";
		default:
			return "stop";
	}
};

/** Why an answer was withheld, in the upstream's words, where the model has not refused in its own: `refused`. */
export const untoldRefusal = (finish: Finish, refused: boolean): string | undefined =>
	!refused && encodeFinish(finish) === "content_filter" ? finish.message : undefined;
