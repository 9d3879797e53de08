/** Why an answer ended, in Gemini's words and in neutral ones. */
import { asText, type Denial, definedOnly, type Finish, lookup, type WireRecord } from "#core";
import { field } from "./fields.ts";

type Reason = Finish["reason"];

const reasons = lookup<Reason>({
	STOP: "stop",
	MAX_TOKENS: "length",
	// More is had by asking again with the answer's token, which clients of other protocols cannot do: to them it is cut off.
	CONTINUATION: "length",
	SAFETY: "safety",
	LANGUAGE: "safety",
	BLOCKLIST: "safety",
	PROHIBITED_CONTENT: "safety",
	SPII: "safety",
	IMAGE_SAFETY: "safety",
	IMAGE_PROHIBITED_CONTENT: "safety",
	MODEL_ARMOR: "safety",
	ESCALATION: "safety",
	PUP_LIMITED_DISABLED: "safety",
	RECITATION: "recitation",
	IMAGE_RECITATION: "recitation",
	MALFORMED_FUNCTION_CALL: "malformed_call",
	UNEXPECTED_TOOL_CALL: "malformed_call",
	TOO_MANY_TOOL_CALLS: "malformed_call",
	MALFORMED_RESPONSE: "malformed_call",
	MISSING_THOUGHT_SIGNATURE: "malformed_call",
	OTHER: "other",
	IMAGE_OTHER: "other",
	NO_IMAGE: "other",
});

/** Words above that the published schema does not know. */
const unpublished = new Set(["MODEL_ARMOR", "PUP_LIMITED_DISABLED", "CONTINUATION"]);

const words: Readonly<Record<Reason, string>> = {
	stop: "STOP",
	stop_sequence: "STOP",
	tool_calls: "STOP",
	length: "MAX_TOKENS",
	// A pause is no end either: this is the word by which clients know that there is more to come.
	pause: "MAX_TOKENS",
	context_full: "MAX_TOKENS",
	refusal: "SAFETY",
	safety: "SAFETY",
	recitation: "RECITATION",
	malformed_call: "MALFORMED_FUNCTION_CALL",
	error: "OTHER",
	other: "OTHER",
};

/**
 * The finish that a candidate tells; undefined while it goes on. `called`: a client tool call was told, which Gemini
 * ends with STOP. A word nobody knows yet is `other`, kept as `raw`.
 */
export const decodeFinish = (candidate: WireRecord, called: boolean): Finish | undefined => {
	const raw = asText(candidate["finishReason"]);
	if (raw === undefined || raw === "" || raw === "FINISH_REASON_UNSPECIFIED") return undefined;
	const reason = reasons[raw] ?? "other";
	return definedOnly({
		reason: reason === "stop" && called ? "tool_calls" : reason,
		raw,
		message: asText(candidate["finishMessage"]),
	});
};

/** Whether it ended in a word that Gemini's clients know. */
export const endsInOwnWord = ({ raw }: Finish): boolean =>
	raw !== undefined && Object.hasOwn(reasons, raw) && !unpublished.has(raw);

/** Gemini's word for a finish; the upstream's own where it was Gemini's. A finish in another's unknown word is a STOP. */
export const encodeFinish = (finish: Finish): string => {
	const { reason, raw } = finish;
	if (raw !== undefined && endsInOwnWord(finish)) return raw;
	return reason === "other" && raw !== undefined ? "STOP" : words[reason];
};

/** Why the prompt was blocked; undefined where it was not. What is only said to be so has no word of its own. */
export const blockReasonOf = (feedback: WireRecord): string | undefined => {
	const reason = asText(field(feedback, "blockReason"));
	if (reason !== undefined && reason !== "" && reason !== "BLOCK_REASON_UNSPECIFIED") return reason;
	return asText(field(feedback, "blockReasonMessage")) === undefined ? undefined : "OTHER";
};

/** What is said of an answer that has neither a candidate nor a word why there is none. */
export const noAnswer: Denial = {
	kind: "upstream",
	message: "The upstream answered without a candidate and did not say that the prompt was blocked. Ask again.",
};

const blockReasons = new Set(["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"]);

/** Gemini's word for why a prompt was blocked. */
export const encodeBlockReason = (reason: string): string => (blockReasons.has(reason) ? reason : "OTHER");
