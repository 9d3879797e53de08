/** How an answer ended, between `status` with `incomplete_details` and the neutral word. */
import { asRecord, asText, type Finish, failureOf, lookup, type WireRecord } from "#core";

/** What was seen of an answer's blocks when it ended. */
interface SeenBlocks {
	readonly calls: boolean;
	readonly refusal: boolean;
}

const incomplete = lookup<Finish["reason"]>({
	max_output_tokens: "length",
	max_tokens: "length",
	content_filter: "safety",
	max_tool_calls: "pause",
});

const cancelled = "The upstream cancelled the answer before it was complete.";

/** The finish of a response that is not `failed`. A call of a client's tool counts, but not over a limit. */
export const decodeFinish = (response: WireRecord, seen: SeenBlocks): Finish => {
	const status = asText(response["status"]) ?? "completed";
	if (status === "incomplete") {
		const raw = asText(asRecord(response["incomplete_details"])["reason"]);
		const reason = incomplete[raw ?? ""] ?? "length";
		// The limit is of the upstream's own tools: a call of the client's is there to be answered.
		return { reason: reason === "pause" && seen.calls ? "tool_calls" : reason, raw: raw ?? status };
	}
	if (status === "cancelled") return { reason: "error", raw: status, message: cancelled };
	if (seen.calls) return { reason: "tool_calls", raw: status };
	return { reason: seen.refusal ? "refusal" : "stop", raw: status };
};

/** The members by which a response tells how it ended. */
export interface Ending {
	readonly status: "completed" | "incomplete" | "failed";
	readonly incomplete_details: { readonly reason: "max_output_tokens" | "content_filter" } | null;
	readonly error: { readonly code: string; readonly message: string } | null;
}

const completed: Ending = { status: "completed", incomplete_details: null, error: null };

const cutBy = (reason: "max_output_tokens" | "content_filter"): Ending => ({
	status: "incomplete",
	incomplete_details: { reason },
	error: null,
});

/** The ending of a finish. `blocked`: the prompt itself was refused, so there is nothing to finish. */
export const encodeEnding = (finish: Finish | undefined, blocked: boolean): Ending => {
	if (blocked) return cutBy("content_filter");
	const failure = finish && failureOf(finish);
	if (failure)
		return { status: "failed", incomplete_details: null, error: { code: "server_error", message: failure.message } };
	switch (finish?.reason) {
		// A pause is no end either: this is the word by which clients know that there is more to come.
		case "length":
		case "context_full":
		case "pause":
			return cutBy("max_output_tokens");
		case "safety":
		case "recitation":
			return cutBy("content_filter");
		default:
			return completed;
	}
};
